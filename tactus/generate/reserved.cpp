#include <tactus/generate/reserved.h>

#include <algorithm>
#include <array>
#include <set>

namespace tactus::generate {

namespace {

// clang-format off

/// Words of C and C++, and names that no namespace may have.
const std::set<std::string_view> kWords = {
    "alignas", "alignof", "and", "and_eq", "asm", "atomic_cancel", "atomic_commit", "atomic_noexcept",
    "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char", "char16_t", "char32_t", "char8_t",
    "class", "co_await", "co_return", "co_yield", "compl", "concept", "const", "const_cast", "consteval",
    "constexpr", "constinit", "continue", "decltype", "default", "delete", "do", "double", "dynamic_cast",
    "else", "enum", "explicit", "export", "extern", "false", "final", "float", "for", "friend", "goto",
    "if", "import", "inline", "int", "long", "main", "module", "mutable", "namespace", "new", "noexcept",
    "not", "not_eq", "nullptr", "operator", "or", "or_eq", "override", "private", "protected", "public",
    "reflexpr", "register", "reinterpret_cast", "requires", "restrict", "return", "short", "signed",
    "sizeof", "static", "static_assert", "static_cast", "std", "struct", "switch", "synchronized",
    "template", "this", "thread_local", "throw", "true", "try", "typedef", "typeid", "typename", "typeof",
    "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
};

/// Macros of the headers <cmath>, <cstring>, <cstdlib>, <cstdio>, <ctime>, <csignal> and <unistd.h>, which programs include beside
/// ours.
const std::set<std::string_view> kMacros = {
    "BIG_ENDIAN", "BUFSIZ", "BYTE_ORDER", "CHAR_BIT", "CHAR_MAX", "CHAR_MIN", "CLOCKS_PER_SEC",
    "DBL_EPSILON", "DBL_MAX", "DBL_MIN", "DIR", "DOMAIN", "EDOM", "EILSEQ", "EOF", "ERANGE", "EXIT_FAILURE",
    "EXIT_SUCCESS", "FALSE", "FILE", "FILENAME_MAX", "FLT_EPSILON", "FLT_MAX", "FLT_MIN", "I", "INFINITY",
    "LDBL_MAX", "LITTLE_ENDIAN", "LLONG_MAX", "LLONG_MIN", "LONG_MAX", "LONG_MIN", "L_tmpnam",
    "MATH_ERREXCEPT", "MATH_ERRNO", "MAXFLOAT", "MB_CUR_MAX", "NAN", "NDEBUG", "NFDBITS", "NULL",
    "OVERFLOW", "PATH_MAX", "PDP_ENDIAN", "PLOSS", "PTRDIFF_MAX", "PTRDIFF_MIN", "PTRDIFF_WIDTH",
    "RAND_MAX", "SCHAR_MAX", "SCHAR_MIN", "SEEK_CUR", "SEEK_END", "SEEK_SET", "SHRT_MAX", "SHRT_MIN",
    "SIGABRT", "SIGFPE", "SIGILL", "SIGINT", "SIGSEGV", "SIGTERM", "SIG_ATOMIC_MAX", "SIG_ATOMIC_MIN",
    "SIG_ATOMIC_WIDTH", "SIG_DFL", "SIG_ERR", "SIG_IGN", "SING", "SIZE_MAX", "SIZE_WIDTH", "TIME_UTC",
    "TLOSS", "TMP_MAX", "TRUE", "UCHAR_MAX", "ULLONG_MAX", "ULONG_MAX", "UNDERFLOW", "USHRT_MAX", "X_TLOSS",
    "alloca", "assert", "complex", "errno", "fpclassify", "i386", "imaginary", "iscanonical", "iseqsig",
    "isfinite", "isgreater", "isgreaterequal", "isinf", "isless", "islessequal", "islessgreater", "isnan",
    "isnormal", "issignaling", "issubnormal", "isunordered", "iszero", "linux", "major", "math_errhandling",
    "minor", "offsetof", "setjmp", "signbit", "stderr", "stdin", "stdout", "strdupa", "strndupa", "unix",
};

/// Global names of the same headers. Variants of mathematical functions by suffixes are those of the name without.
const std::set<std::string_view> kLibrary = {
    "a64l", "abort", "abs", "access", "acct", "acos", "acosh", "alarm", "aligned_alloc", "arc4random",
    "arc4random_buf", "arc4random_uniform", "asctime", "asin", "asinh", "asprintf", "at_quick_exit", "atan",
    "atan2", "atanh", "atexit", "atof", "atoi", "atol", "basename", "bcmp", "bcopy", "brk", "bsearch",
    "bzero", "calloc", "canonicalize", "canonicalize_file_name", "cbrt", "ceil", "chdir", "chown", "chroot",
    "clearenv", "clearerr", "clock", "clock_adjtime", "clock_getcpuclockid", "clock_getres",
    "clock_gettime", "clock_nanosleep", "clock_settime", "close", "close_range", "closefrom", "confstr",
    "copysign", "cos", "cosh", "crypt", "ctermid", "ctime", "cuserid", "daddl", "daemon", "daylight",
    "ddivl", "dfmal", "difftime", "div", "dmull", "dprintf", "drem", "dsqrtl", "dsubl", "dup", "dup2",
    "dup3", "dysize", "eaccess", "ecvt", "endusershell", "environ", "erf", "erfc", "euidaccess", "execl",
    "execle", "execlp", "execv", "execve", "execveat", "execvp", "execvpe", "exit", "exp", "exp10", "exp2",
    "explicit_bzero", "expm1", "fabs", "faccessat", "fadd", "fchdir", "fchown", "fchownat", "fclose",
    "fcloseall", "fcvt", "fd_mask", "fdatasync", "fdim", "fdiv", "fdopen", "feof", "ferror", "fexecve",
    "fflush", "ffma", "ffs", "fgetc", "fgetpos", "fgets", "fileno", "finite", "flockfile", "floor", "fma",
    "fmax", "fmaximum", "fmaximum_mag", "fmaximum_mag_num", "fmaximum_num", "fmaxmag", "fmemopen", "fmin",
    "fminimum", "fminimum_mag", "fminimum_mag_num", "fminimum_num", "fminmag", "fmod", "fmul", "fopen",
    "fopencookie", "fork", "fpathconf", "fprintf", "fputc", "fputs", "fread", "free", "freopen", "frexp",
    "fromfp", "fromfpx", "fscanf", "fseek", "fseeko", "fsetpos", "fsqrt", "fsub", "fsync", "ftell",
    "ftello", "ftruncate", "ftrylockfile", "funlockfile", "fwrite", "gamma", "gcvt", "get_current_dir_name",
    "getc", "getchar", "getcwd", "getdate", "getdate_err", "getdelim", "getdomainname", "getdtablesize",
    "getegid", "getenv", "geteuid", "getgid", "getgroups", "gethostid", "gethostname", "getline",
    "getloadavg", "getlogin", "getopt", "getpagesize", "getpass", "getpayload", "getpgid", "getpgrp",
    "getpid", "getppid", "getpt", "getresgid", "getresuid", "getsid", "getsubopt", "gettid", "getuid",
    "getusershell", "getw", "getwd", "gmtime", "grantpt", "group_member", "gsignal", "hypot", "ilogb",
    "index", "initstate", "isatty", "j0", "j1", "jn", "kill", "killpg", "l64a", "labs", "lchown", "ldexp",
    "ldiv", "lgamma", "link", "linkat", "llabs", "lldiv", "llogb", "llrint", "llround", "localtime",
    "lockf", "log", "log10", "log1p", "log2", "logb", "lrint", "lround", "lseek", "malloc", "mblen",
    "mbstowcs", "mbtowc", "memccpy", "memchr", "memcmp", "memcpy", "memfrob", "memmem", "memmove",
    "mempcpy", "memrchr", "memset", "mkdtemp", "mkostemp", "mkostemps", "mkstemp", "mkstemps", "mktemp",
    "mktime", "modf", "nan", "nanosleep", "nearbyint", "nextafter", "nextdown", "nexttoward", "nextup",
    "nice", "obstack_printf", "obstack_vprintf", "on_exit", "open_memstream", "optarg", "opterr", "optind",
    "optopt", "pathconf", "pause", "pclose", "perror", "pipe", "pipe2", "popen", "posix_memalign",
    "posix_openpt", "pow", "pread", "printf", "profil", "pselect", "psiginfo", "psignal", "pthread_kill",
    "pthread_sigmask", "pthread_sigqueue", "ptsname", "putc", "putchar", "putenv", "puts", "putw", "pwrite",
    "qecvt", "qfcvt", "qgcvt", "qsort", "quick_exit", "raise", "rand", "random", "rawmemchr", "read",
    "readlink", "readlinkat", "realloc", "reallocarray", "realpath", "remainder", "remove", "remquo",
    "rename", "renameat", "renameat2", "revoke", "rewind", "rindex", "rint", "rmdir", "round", "roundeven",
    "rpmatch", "sbrk", "scalb", "scalbln", "scalbn", "scanf", "secure_getenv", "select", "setbuf",
    "setbuffer", "setdomainname", "setegid", "setenv", "seteuid", "setgid", "sethostid", "sethostname",
    "setlinebuf", "setlogin", "setpayload", "setpayloadsig", "setpgid", "setpgrp", "setregid", "setresgid",
    "setresuid", "setreuid", "setsid", "setstate", "setuid", "setusershell", "setvbuf", "sigaction",
    "sigaddset", "sigaltstack", "sigandset", "sigblock", "sigdelset", "sigemptyset", "sigfillset",
    "siggetmask", "sighold", "sigignore", "siginterrupt", "sigisemptyset", "sigismember", "signal",
    "signgam", "significand", "sigorset", "sigpause", "sigpending", "sigprocmask", "sigqueue", "sigrelse",
    "sigreturn", "sigset", "sigsetmask", "sigstack", "sigsuspend", "sigtimedwait", "sigwait", "sigwaitinfo",
    "sin", "sincos", "sinh", "sleep", "snprintf", "sprintf", "sqrt", "srand", "srandom", "sscanf",
    "ssignal", "stat", "stpcpy", "stpncpy", "strcasecmp", "strcasestr", "strcat", "strchr", "strchrnul",
    "strcmp", "strcoll", "strcpy", "strcspn", "strdup", "strerror", "strfromd", "strfromf", "strfromf128",
    "strfromf32", "strfromf32x", "strfromf64x", "strfroml", "strfry", "strftime", "strlen", "strncasecmp",
    "strncat", "strncmp", "strncpy", "strndup", "strnlen", "strpbrk", "strptime", "strrchr", "strsep",
    "strsignal", "strspn", "strstr", "strtod", "strtof", "strtof128", "strtof32", "strtof32x", "strtof64x",
    "strtok", "strtol", "strtold", "strtoq", "strtoul", "strtouq", "strverscmp", "strxfrm", "swab",
    "symlink", "symlinkat", "sync", "syncfs", "syscall", "sysconf", "system", "sysv_signal", "tan", "tanh",
    "tcgetpgrp", "tcsetpgrp", "tempnam", "tgamma", "tgkill", "time", "timegm", "timelocal", "timer_create",
    "timer_delete", "timer_getoverrun", "timer_gettime", "timer_settime", "timespec_get", "timespec_getres",
    "timezone", "tmpfile", "tmpnam", "totalorder", "totalordermag", "trunc", "truncate", "ttyname",
    "ttyslot", "tzset", "u_char", "u_int", "u_long", "u_short", "ualarm", "ufromfp", "ufromfpx", "uint",
    "ulong", "ungetc", "unlink", "unlinkat", "unlockpt", "unsetenv", "ushort", "usleep", "va_list",
    "valloc", "vasprintf", "vdprintf", "vfork", "vfprintf", "vfscanf", "vhangup", "vprintf", "vscanf",
    "vsnprintf", "vsprintf", "vsscanf", "wcstombs", "wctomb", "write", "y0", "y1", "yn",
};

// clang-format on

/// Families of macros: <cmath>, <cstdint>, <csignal>, <sys/wait.h>.
constexpr std::array<std::string_view, 11> kFamilies = {"M_",   "FP_", "HUGE_VAL", "INT", "UINT", "FD_",
                                                        "SNAN", "SIG", "WIF",      "PRI", "SCN"};

bool is_in_capitals(std::string_view name) {
  return std::none_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

}  // namespace

bool is_word_or_macro(std::string_view name) {
  if (kWords.contains(name) || kMacros.contains(name)) return true;
  return is_in_capitals(name) &&
         std::any_of(kFamilies.begin(), kFamilies.end(),
                     [&](std::string_view family) { return name.starts_with(family); });
}

bool is_library_name(std::string_view name) {
  if (kLibrary.contains(name) || name.ends_with("_t")) return true;  // POSIX keeps _t for types
  for (const std::string_view suffix : {"f128", "f32x", "f64x", "f32", "f64", "f", "l", "_r", "_l", "64"})
    if (name.size() > suffix.size() && name.ends_with(suffix) &&
        kLibrary.contains(name.substr(0, name.size() - suffix.size())))
      return true;
  return false;
}

}  // namespace tactus::generate
