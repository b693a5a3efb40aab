/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Criterion starts libgit2 in the process of each test, for the differences between texts, and
 * that reads all certificates of the machine: 12 ms of 25, 40 ms of 70 under AddressSanitizer. The
 * dynamic linker takes these functions instead of those of Mbed TLS, which nothing else here uses.
 */
struct mbedtls_x509_crt;

int mbedtls_x509_crt_parse_file(struct mbedtls_x509_crt *chain, const char *path);
int mbedtls_x509_crt_parse_file(struct mbedtls_x509_crt *chain, const char *path)
{
	return chain && path ? 0 : -1;
}
