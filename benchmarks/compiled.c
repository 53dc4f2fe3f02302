/* What compiled kernels would cost, in one thread: a prototype to measure with, not a part of the package.

   scan QRELS RUN: the judged hits of a run, from the bytes of both files. It does what a scan has to do for every line of the run and no more: fields, score, query, a hash of (query, document),
   the judgment, the rank, and whether the scores fall. It prints how many hits there are and the sum of their ranks, which
   must be those of the scan in NumPy. Files are taken to be regular; a hash decides.

   lists N: the nanoseconds that nDCG@10 of one of N lists of 100 judged documents takes, without a look at ties. */

#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct { const char *at, *end; } Text;

static Text mapped(const char *path) {
    struct stat facts;
    int file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &facts)) exit(2);
    const char *at = mmap(0, facts.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    return (Text){at, at + facts.st_size};
}

static uint64_t field(Text *text, uint64_t hash) {
    while (text->at < text->end && (unsigned char)*text->at > ' ') hash = (hash ^ (unsigned char)*text->at++) * 0x100000001B3u;
    text->at++;
    return hash ^ hash >> 29;
}

static double number(Text *text) {
    double whole = 0, scale = 1, sign = 1;
    if (*text->at == '-') sign = -1, text->at++;
    for (; text->at < text->end && *text->at >= '0'; text->at++) whole = 10 * whole + (*text->at - '0');
    if (*text->at == '.')
        for (text->at++; text->at < text->end && *text->at >= '0'; text->at++) whole = 10 * whole + (*text->at - '0'), scale *= 10;
    text->at++;
    return sign * whole / scale;
}

static int scanned(const char *judgments, const char *path) {
    Text judged = mapped(judgments), run = mapped(path);
    uint64_t slots = 1;
    while (slots < (uint64_t)(judged.end - judged.at) / 8) slots *= 2;
    uint64_t *table = calloc(slots, sizeof *table);
    while (judged.at < judged.end) {
        uint64_t query = field(&judged, 1);
        field(&judged, 0);
        uint64_t key = field(&judged, query) | 1;
        number(&judged);
        uint64_t slot = key * 0x9E3779B97F4A7C15u & (slots - 1);
        while (table[slot] && table[slot] != key) slot = (slot + 1) & (slots - 1);
        table[slot] = key;
    }
    uint64_t before = 0, hits = 0, ranks = 0, rank = 0, rises = 0;
    double last = 0;
    while (run.at < run.end) {
        uint64_t query = field(&run, 1);
        field(&run, 0);
        uint64_t key = field(&run, query) | 1;
        field(&run, 0);
        double score = number(&run);
        field(&run, 0);
        rank = query == before ? rank + 1 : 1;
        rises += rank > 1 && score > last;
        before = query, last = score;
        uint64_t slot = key * 0x9E3779B97F4A7C15u & (slots - 1);
        while (table[slot] && table[slot] != key) slot = (slot + 1) & (slots - 1);
        if (table[slot]) hits++, ranks += rank;
    }
    printf("%lu %lu %lu\n", (unsigned long)hits, (unsigned long)ranks, (unsigned long)rises);
    return 0;
}

enum { DOCUMENTS = 100, CUTOFF = 10, GRADES = 5 };

static double ndcg(const double *scores, const double *grades, const double *discounts) {
    double best[CUTOFF], graded[CUTOFF], found = 0, ideal = 0;
    int listed = 0, counts[GRADES] = {0};
    for (int i = 0; i < DOCUMENTS; i++) {
        counts[(int)grades[i]]++;
        if (listed == CUTOFF && scores[i] <= best[CUTOFF - 1]) continue;
        int at = listed < CUTOFF ? listed++ : CUTOFF - 1;
        for (; at > 0 && best[at - 1] < scores[i]; at--) best[at] = best[at - 1], graded[at] = graded[at - 1];
        best[at] = scores[i], graded[at] = grades[i];
    }
    for (int rank = 0, grade = GRADES - 1; rank < CUTOFF; rank++) {
        while (grade > 0 && !counts[grade]) grade--;
        found += graded[rank] * discounts[rank], ideal += grade * discounts[rank], counts[grade]--;
    }
    return ideal > 0 ? found / ideal : 0;
}

static int listed(long rows) {
    double *scores = malloc(sizeof(double) * rows * DOCUMENTS), *grades = malloc(sizeof(double) * rows * DOCUMENTS);
    double discounts[CUTOFF], sum = 0;
    uint64_t state = 1;
    for (long i = 0; i < rows * DOCUMENTS; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        scores[i] = (state >> 11) * 0x1p-53, grades[i] = (state >> 7) % GRADES;
    }
    for (int rank = 0; rank < CUTOFF; rank++) discounts[rank] = 1 / log2(rank + 2.0);
    clock_t start = clock();
    for (long row = 0; row < rows; row++) sum += ndcg(scores + row * DOCUMENTS, grades + row * DOCUMENTS, discounts);
    printf("%.0f %.4f\n", 1e9 * (clock() - start) / CLOCKS_PER_SEC / rows, sum / rows);
    return 0;
}

int main(int count, char **words) {
    if (count == 4 && !strcmp(words[1], "scan")) return scanned(words[2], words[3]);
    return count == 3 && !strcmp(words[1], "lists") ? listed(atol(words[2])) : 2;
}
