/* SPDX-License-Identifier: Apache-2.0 */
#include "control/admission.h"

#include <criterion/criterion.h>

#define OWN 990
#define ANN 1001
#define BEN 1002

static struct admission new (unsigned int most, unsigned int most_per_user)
{
	return (struct admission){ .most = most, .most_per_user = most_per_user, .own = OWN };
}

/* How many of @count connections @uid gets. */
static unsigned int come(struct admission *a, uid_t uid, unsigned int count)
{
	unsigned int in = 0;

	for (; in < count && !admission_refusal(a, uid); in++)
		cr_assert(admission_enter(a, uid) == 0);
	return in;
}

static void leave(struct admission *a, uid_t uid, unsigned int count)
{
	while (count--)
		admission_leave(a, uid);
}

Test(admission, a_user_has_so_many_and_gets_one_for_each_that_ends)
{
	struct admission a = new (128, 32);

	cr_expect(come(&a, ANN, 100) == 32);
	cr_expect(come(&a, BEN, 5) == 5);
	leave(&a, ANN, 3);
	cr_expect(come(&a, ANN, 100) == 3);
	leave(&a, ANN, 32);
	leave(&a, BEN, 5);
	cr_expect(a.user_count == 0 && a.others == 0);
	admission_fini(&a);
}

Test(admission, root_and_the_daemons_own_user_are_counted_by_themselves)
{
	struct admission a = new (8, 2);

	cr_expect(come(&a, 0, 5) == 5);
	cr_expect(come(&a, OWN, 10) == 3);
	cr_expect(come(&a, ANN, 10) == 2, "root takes nobody's place");
	leave(&a, OWN, 1);
	cr_expect(come(&a, 0, 10) == 1);
	admission_fini(&a);
}

Test(admission, one_who_may_have_all_leaves_room_for_another)
{
	struct admission a = new (16, 4096);

	cr_expect(come(&a, ANN, 1000) == 12);
	cr_expect(come(&a, BEN, 1000) == 2);
	cr_expect(come(&a, 0, 1) == 1);
	admission_fini(&a);
}

Test(admission, many_together_leave_room_for_root_only)
{
	struct admission a = new (128, 32);
	unsigned int in = 0;

	for (uid_t uid = 2000; uid < 2200; uid++)
		in += come(&a, uid, 100);
	cr_expect(in == 128);
	cr_expect(admission_refusal(&a, ANN) != NULL);
	cr_expect(come(&a, 0, 1) == 1);
	leave(&a, 2000, 32);
	cr_expect(come(&a, ANN, 100) == 2, "the rest is for who has fewer");
	leave(&a, 2001, 32);
	cr_expect(come(&a, ANN, 100) == 30);
	admission_fini(&a);
}

Test(admission, lower_limits_hold_for_who_comes_next)
{
	struct admission a = new (128, 32);

	cr_expect(come(&a, ANN, 20) == 20);
	a.most_per_user = 10;
	cr_expect(come(&a, ANN, 1) == 0);
	leave(&a, ANN, 11);
	cr_expect(come(&a, ANN, 5) == 1);
	admission_fini(&a);
}
