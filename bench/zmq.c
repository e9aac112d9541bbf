// The plain libzmq loop: PUB/SUB with nothing around it but the calls and two clocks, as little as
// a program on libzmq can do.
//
// publish ENDPOINT SIZE COUNT GAP_NS: binds, waits for a subscriber, sends COUNT messages, GAP_NS
//     apart; 0 as fast as it goes.
// subscribe ENDPOINT COUNT: prints messages a second from the first arrival to the last, and the
//     median time on the way in us.
//
// A message is a topic, the time at which it was sent, and padding. With a FILE, each side leaves a
// record of every message there, as the peers must.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

static const char topic[] = "bench";
// As the peer does (crates/peer/src/clock.rs): sleep until shortly before, then spin.
enum { SPIN_NS = 10000 };

static void check(int failed, const char *what) {
  if (failed) {
    fprintf(stderr, "%s: %s\n", what, zmq_strerror(errno));
    exit(1);
  }
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void wait_until(int64_t at) {
  int64_t wake = at - SPIN_NS;
  struct timespec time = {wake / 1000000000, wake % 1000000000};
  if (now() < wake) {
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
  }
  while (now() < at) {
  }
}

// As many records as there are messages, each of a peer's 64 bytes (docs/contracts/peer.md); null
// without a file.
typedef int64_t record[8];

static record *records(const char *file, int64_t count) {
  if (file == NULL) {
    return NULL;
  }
  size_t length = (size_t)count * sizeof(record);
  int opened = open(file, O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (opened < 0 || posix_fallocate(opened, 0, (off_t)length) != 0) {
    perror(file);
    exit(1);
  }
  void *map = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0);
  if (map == MAP_FAILED) {
    perror(file);
    exit(1);
  }
  madvise(map, length, MADV_POPULATE_WRITE);
  return map;
}

static int publish(void *context, const char *endpoint, size_t size, int64_t count, int64_t gap, record *kept) {
  void *socket = zmq_socket(context, ZMQ_XPUB);
  int nodrop = 1;
  char subscription[sizeof topic + 1];
  check(zmq_setsockopt(socket, ZMQ_XPUB_NODROP, &nodrop, sizeof nodrop), "nodrop");
  check(zmq_bind(socket, endpoint), endpoint);
  check(zmq_recv(socket, subscription, sizeof subscription, 0) < 0, "subscription");
  int64_t begin = now();
  for (int64_t i = 0; i < count; i++) {
    zmq_msg_t message;
    zmq_msg_init_size(&message, size);
    memset(zmq_msg_data(&message), 'x', size);
    memcpy(zmq_msg_data(&message), topic, sizeof topic);
    if (gap > 0) {
      wait_until(begin + i * gap);
    }
    int64_t sent = now();
    if (kept != NULL) {
      memcpy(kept[i], (record){i, sent, sent, sent, 0, 0, 0, (int64_t)size}, sizeof(record));
    }
    memcpy((char *)zmq_msg_data(&message) + sizeof topic, &sent, sizeof sent);
    check(zmq_msg_send(&message, socket, 0) < 0, "send");
  }
  return zmq_close(socket);
}

static int ascending(const void *a, const void *b) {
  int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
  return (left > right) - (left < right);
}

static int subscribe(void *context, const char *endpoint, int64_t count, record *kept) {
  void *socket = zmq_socket(context, ZMQ_SUB);
  int64_t *ages = calloc((size_t)count, sizeof *ages), first = 0, last = 0;
  check(zmq_setsockopt(socket, ZMQ_SUBSCRIBE, topic, sizeof topic), "subscribe");
  check(zmq_connect(socket, endpoint), endpoint);
  for (int64_t i = 0; i < count; i++) {
    zmq_msg_t message;
    zmq_msg_init(&message);
    check(zmq_msg_recv(&message, socket, 0) < 0, "receive");
    int64_t sent;
    last = now();
    first = i == 0 ? last : first;
    memcpy(&sent, (char *)zmq_msg_data(&message) + sizeof topic, sizeof sent);
    ages[i] = last - sent;
    if (kept != NULL) {
      memcpy(kept[i], (record){i, 0, 0, 0, 0, last, last, (int64_t)zmq_msg_size(&message)}, sizeof(record));
    }
    zmq_msg_close(&message);
  }
  qsort(ages, (size_t)count, sizeof *ages, ascending);
  printf("%.1f msg/s, median %.2f us\n", (double)(count - 1) / (double)(last - first) * 1e9, (double)ages[count / 2] / 1e3);
  return zmq_close(socket);
}

int main(int argc, char **argv) {
  void *context = zmq_ctx_new();
  if (argc >= 6 && strcmp(argv[1], "publish") == 0) {
    record *kept = records(argv[6], atoll(argv[4]));
    check(publish(context, argv[2], strtoull(argv[3], NULL, 10), atoll(argv[4]), atoll(argv[5]), kept), "close");
  } else if (argc >= 4 && strcmp(argv[1], "subscribe") == 0) {
    check(subscribe(context, argv[2], atoll(argv[3]), records(argv[4], atoll(argv[3]))), "close");
  } else {
    fprintf(stderr, "usage: %s publish ENDPOINT SIZE COUNT GAP_NS [FILE] | subscribe ENDPOINT COUNT [FILE]\n", argv[0]);
    return 3;
  }
  return zmq_ctx_term(context);
}
