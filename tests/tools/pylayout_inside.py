# SPDX-License-Identifier: Apache-2.0
"""Run by one CPython with the library and the header: what python/ says of this very process.

Prints JSON: {"err", "why", "layout", "wrong"}; "wrong" names the fields in which what lies in
memory is not what Python itself says.
"""
import ctypes
import json
import re
import sys
import threading
import time


NO_FIELD = 0xFFFF
TO_SEARCH, NO_KEY = 0, 0xFFFFFFFF  # of runtime_autotsskey, from 3.13 and from 3.15
CODE_UNIT = 2
POINTER, LASTI_BYTES = 0, 1  # of frame_instr_kind
CLEAR_TAG = ~3  # of a _PyStackRef, from 3.14


def u64(address):
    return ctypes.c_uint64.from_address(address).value


def pointer_from(name):
    function = getattr(ctypes.pythonapi, name)
    function.restype = ctypes.c_void_p
    return function()


def find_layout(library, header, version):
    fields = re.findall(r"^\t__(u8|u16|u32) (\w+);", header, re.M)
    types = {"u8": ctypes.c_uint8, "u16": ctypes.c_uint16, "u32": ctypes.c_uint32}
    struct = type("sp_pylayout", (ctypes.Structure,),
                  {"_fields_": [(name, types[kind]) for kind, name in fields]})
    runtime = ctypes.addressof(ctypes.c_char.in_dll(ctypes.pythonapi, "_PyRuntime"))
    out, why = struct(), ctypes.c_char_p()
    err = library.pylayout_find(version, ctypes.c_void_p(runtime), ctypes.c_size_t(1024),
                                ctypes.byref(out), ctypes.byref(why))
    return err, why.value, {name: getattr(out, name) for _, name in fields}, runtime


def threads(at, runtime):
    """This thread's state, and that the main thread's follows it."""
    get_interp = "PyInterpreterState_Get" if sys.version_info >= (3, 9) else "_PyInterpreterState_Get"
    tstate, interp = pointer_from("PyThreadState_Get"), pointer_from(get_interp)
    yield "runtime_interpreters_head", u64(runtime + at["runtime_interpreters_head"]) == interp
    yield "interp_threads_head", u64(interp + at["interp_threads_head"]) == tstate
    yield "tstate_prev", u64(tstate + at["tstate_prev"]) == 0
    yield "tstate_next", u64(u64(tstate + at["tstate_next"]) + at["tstate_prev"]) == tstate
    yield "tstate_interp", u64(tstate + at["tstate_interp"]) == interp
    yield "tstate_thread_id", u64(tstate + at["tstate_thread_id"]) == threading.get_ident()
    if at["tstate_native_thread_id"] != NO_FIELD:
        native = u64(tstate + at["tstate_native_thread_id"])
        yield "tstate_native_thread_id", native == threading.get_native_id()
    if at["runtime_autotsskey"] not in (TO_SEARCH, NO_KEY):
        is_initialized, key = (ctypes.c_uint32 * 2).from_address(runtime + at["runtime_autotsskey"])
        get = ctypes.CDLL(None).pthread_getspecific
        get.restype = ctypes.c_void_p
        yield "runtime_autotsskey", is_initialized == 1 and get(key) == tstate


def bytecode(at, frame, code):
    """Where the frame's copy of it starts."""
    if at["code_tlbc"] == NO_FIELD:
        return code + at["code_bytecode"]
    index = ctypes.c_uint32.from_address(frame + at["frame_tlbc_index"]).value
    return u64(u64(code + at["code_tlbc"]) + 8 + 8 * index)


def unit(at, frame, code):
    """The code unit that runs there."""
    if at["frame_instr_kind"] == POINTER:
        return (u64(frame + at["frame_instr"]) - bytecode(at, frame, code)) // CODE_UNIT
    lasti = ctypes.c_int32.from_address(frame + at["frame_instr"]).value
    return lasti // CODE_UNIT if at["frame_instr_kind"] == LASTI_BYTES else lasti


def walk(at, frame):
    """(code, instr) of the frames that are Python's, newest first."""
    while frame:
        owner = at["frame_owner"]
        if owner == NO_FIELD or ctypes.c_uint8.from_address(frame + owner).value < at["owner_shim"]:
            code = u64(frame + at["frame_executable"]) & CLEAR_TAG
            yield code, unit(at, frame, code)
        frame = u64(frame + at["frame_previous"])


def park(done):
    done.acquire()


def parked():
    """The main thread's frame, once its stack stands still."""
    while True:
        frame = sys._current_frames()[threading.main_thread().ident]
        if frame.f_code is park.__code__ and frame.f_lineno > park.__code__.co_firstlineno:
            return frame
        time.sleep(0.001)


def linetable(code):
    return code.co_lnotab if sys.version_info < (3, 10) else code.co_linetable


def frames(at, library):
    python = parked()
    tstate = u64(pointer_from("PyThreadState_Get") + at["tstate_next"])
    if at["tstate_cframe"] == NO_FIELD:
        newest = u64(tstate + at["tstate_current_frame"])
    else:
        newest = u64(u64(tstate + at["tstate_cframe"]) + at["cframe_current_frame"])
    if at["tstate_datastack_chunk"] != NO_FIELD:
        chunk = u64(tstate + at["tstate_datastack_chunk"])
        yield "tstate_datastack_chunk", chunk < newest < chunk + u64(chunk + 8)
    for code, instr in walk(at, newest):
        said = python.f_code
        yield "frame_executable or frame_owner", code == id(said)
        table = linetable(said)
        line = library.linetable_lookup(library.linetable_kind_of(at["version"]), table,
                                        ctypes.c_size_t(len(table)), said.co_firstlineno, instr)
        yield "frame_instr", line == python.f_lineno
        python = python.f_back
    yield "frame_previous", python is None


def objects(at, library):
    code = objects.__code__
    yield "code_filename", u64(id(code) + at["code_filename"]) == id(code.co_filename)
    name = getattr(code, "co_qualname", code.co_name)
    yield "code_qualname", u64(id(code) + at["code_qualname"]) == id(name)
    yield "code_linetable", u64(id(code) + at["code_linetable"]) == id(linetable(code))
    first = ctypes.c_int32.from_address(id(code) + at["code_firstlineno"]).value
    yield "code_firstlineno", first == code.co_firstlineno
    if at["code_bytecode"] != NO_FIELD:
        yield "code_bytecode", at["code_bytecode"] == type(code).__basicsize__
    yield "object_type", u64(id(code) + at["object_type"]) == id(type(code))
    data = b"some bytes"
    yield "var_size", u64(id(data) + at["var_size"]) == len(data)
    yield "bytes_data", ctypes.string_at(id(data) + at["bytes_data"], len(data)) == data
    for text, width, start in (("plain", 1, "ascii_size"), ("caf\xe9", 1, "compact_size"),
                               ("\u4e2d\u6587", 2, "compact_size"),
                               ("\U0001f40d snake", 4, "compact_size")):
        yield "unicode_length", u64(id(text) + at["unicode_length"]) == len(text)
        state = (ctypes.c_uint8 * 3)()
        word = ctypes.c_uint32.from_address(id(text) + at["unicode_state"]).value
        library.pytext_decode_state(word, at["unicode_kind"], state)
        yield "unicode_state", list(state) == [width, 1, int(start == "ascii_size")]
        coded = text.encode({1: "latin-1", 2: "utf-16-le", 4: "utf-32-le"}[width])
        yield start, ctypes.string_at(id(text) + at[start], len(coded)) == coded


def main(library, header):
    library = ctypes.CDLL(library)
    with open(header) as f:
        err, why, layout, runtime = find_layout(library, f.read(), sys.hexversion)
    said = {"err": err, "why": why and why.decode(), "layout": layout, "wrong": []}

    done = threading.Lock()

    def look():
        try:
            for name, is_right in [*threads(layout, runtime), *frames(layout, library),
                                   *objects(layout, library)]:
                if not is_right:
                    said["wrong"].append(name)
        except BaseException as e:
            said["wrong"].append(repr(e))
        done.release()

    if not err:
        done.acquire()
        threading.Thread(target=look).start()
        park(done)
    print(json.dumps(said))


main(*sys.argv[1:])
