#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "CProcess.h"

// Where the guard has its end of the control channel; 0, 1 and 2 are the program's.
enum { CONTROL = 3 };

int cprocess_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno; }

static void noticed(int number) { (void)number; }

// Everything from here to cprocess_spawn runs after fork, beside threads that no longer exist: system calls only.

static void close_from(unsigned first) {
#ifdef SYS_close_range
    if (syscall(SYS_close_range, first, ~0U, 0) == 0) return;
#endif
    // Linux before 5.9.
    for (unsigned descriptor = first; descriptor < 4096; descriptor++) close((int)descriptor);
}

// Puts the descriptors to 0, 1, … in that order.
static int arrange(int *descriptors, int count) {
    for (int i = 0; i < count; i++) {
        // Out of the way first, since some may be among the targets.
        descriptors[i] = fcntl(descriptors[i], F_DUPFD_CLOEXEC, count);
        if (descriptors[i] < 0) return -1;
    }
    for (int i = 0; i < count; i++)
        if (dup2(descriptors[i], i) < 0) return -1;
    return 0;
}

static void usual_signals(void) {
    struct sigaction usual = {.sa_handler = SIG_DFL};
    for (int number = 1; number < 32; number++) sigaction(number, &usual, NULL);
}

static _Noreturn void run_program(const char *command, char *const environment[], pid_t guard) {
    setpgid(0, 0);
    // The guard may be killed as well.
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != guard) _exit(127);
    close(CONTROL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    char *const arguments[] = {"/bin/sh", "-c", (char *)command, NULL};
    execve("/bin/sh", arguments, environment);
    _exit(127);
}

static _Noreturn void guard_program(const char *command, char *const environment[], int *descriptors) {
    // Ctrl-C is for the program that started us.
    setpgid(0, 0);
    usual_signals();
    if (arrange(descriptors, CONTROL + 1) < 0) _exit(127);
    close_from(CONTROL + 1);
    sigset_t child_ends, others;
    sigemptyset(&child_ends);
    sigaddset(&child_ends, SIGCHLD);
    sigprocmask(SIG_SETMASK, &child_ends, NULL);
    sigemptyset(&others);
    struct sigaction notice = {.sa_handler = noticed};
    sigaction(SIGCHLD, &notice, NULL);
    pid_t guard = getpid(), program = fork();
    if (program == 0) run_program(command, environment, guard);
    // Only the program holds its pipes, so that they end with it.
    for (int i = 0; i < CONTROL; i++) close(i);
    if (program < 0) _exit(127);
    setpgid(program, program);
    struct pollfd control = {.fd = CONTROL, .events = POLLIN};
    int told = 0;
    while (1) {
        siginfo_t information = {0};
        // It is not reaped before the end, so that its process group cannot become another's.
        if (!told && waitid(P_PID, (id_t)program, &information, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            information.si_pid == program) {
            uint8_t status = (uint8_t)(information.si_code == CLD_EXITED ? information.si_status
                                                                         : 128 + information.si_status);
            (void)!send(CONTROL, &status, 1, MSG_NOSIGNAL);
            told = 1;
        }
        // The other end is closed, by us or by our death; nothing is ever written into it.
        if (ppoll(&control, 1, NULL, &others) > 0) break;
    }
    kill(-program, SIGKILL);
    // Also where it had no group yet.
    kill(program, SIGKILL);
    while (waitpid(program, NULL, 0) < 0 && errno == EINTR) {}
    _exit(0);
}

int cprocess_spawn(const char *command, char *const environment[], int input, int output, int errors,
                   CProcessChild *child) {
    int control[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control) < 0) return errno;
    // No handler of ours may run in the guard before it has set its own.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t guard = fork();
    int failure = errno;
    if (guard == 0) {
        int descriptors[] = {input, output, errors, control[1]};
        guard_program(command, environment, descriptors);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(control[1]);
    if (guard < 0) {
        close(control[0]);
        return failure;
    }
    *child = (CProcessChild){.guard = guard, .control = control[0]};
    return 0;
}
