// awake
//
// Keeps every processor awake until it is killed. A processor of a virtual machine halts when it is idle, and its host can
// need milliseconds to wake it. That delay is a property of the host, not of the program that a benchmark measures. So one
// thread of the class SCHED_IDLE per processor loops, much like the kernel option idle=poll. Every other thread preempts it.
//
// Some hosts stop a machine for 100 ms if it uses its processors without a break. So each thread loops for 19 ms and then pauses
// for 1 ms. The pause is longer if other threads used the processor, so that it contains about 1 ms of idle time.
// The instruction PAUSE leaves the execution units to the other hyperthread of the core.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { loop = 19000000, idle = 1000000, longest = 20000000 };  // nanoseconds

static int64_t now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void pause_instruction(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb");
#endif
}

static void check(int error, const char *call) {
  if (error) fprintf(stderr, "awake: %s: %s\n", call, strerror(error)), exit(71);
}

static void *keep_awake(void *processor) {
  struct sched_param none = {0};
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET((intptr_t)processor, &set);
  check(pthread_setaffinity_np(pthread_self(), sizeof set, &set), "pthread_setaffinity_np");
  check(pthread_setschedparam(pthread_self(), SCHED_IDLE, &none), "pthread_setschedparam");
  for (;;) {
    int64_t end = now(CLOCK_MONOTONIC) + loop, used = now(CLOCK_THREAD_CPUTIME_ID);
    while (now(CLOCK_MONOTONIC) < end)
      for (int n = 0; n < 20; n++) pause_instruction();
    used = now(CLOCK_THREAD_CPUTIME_ID) - used;
    int64_t pause = used * longest > (int64_t)idle * loop ? idle * (int64_t)loop / used : longest;
    nanosleep(&(struct timespec){.tv_nsec = pause}, NULL);
  }
  return NULL;
}

int main(void) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed)) perror("awake: sched_getaffinity"), exit(71);
  for (intptr_t processor = 0; processor < CPU_SETSIZE; processor++) {
    pthread_t thread;
    if (CPU_ISSET(processor, &allowed)) check(pthread_create(&thread, NULL, keep_awake, (void *)processor), "pthread_create");
  }
  for (;;) pause();
}
