<?php
// Follows the change feed. The cursor moves only when everything before it is done or noted, so an interrupted run loses
// nothing.
namespace HeadlessContent;

defined('ABSPATH') || exit;

const RUN_SECONDS = 20;
const PAGE = 10;
const PAGE_OF_TITLES = 500;
const MAX_TRIES = 5;
/** Changes at each event, so that a running sync reads the feed once more. */
const WOKEN = 'headless_content_woken';

/**
 * @param bool $is_asked a person waits for it, so the run ignores `not_before`
 * @return array{counts: array<string, int>, problem: string, more: bool}
 */
function follow_feed(bool $is_asked = false): array
{
    if (!is_set_up(settings())) {
        return report([], 'the settings are not complete');
    }
    if (function_exists('set_time_limit')) {
        @set_time_limit(10 * RUN_SECONDS);
    }
    try {
        $report = with_lock('feed', 0, function () use ($is_asked): array {
            $state = feed_state();
            return $state['not_before'] > time() && !$is_asked
                ? report([], $state['problem'])
                : read_feed($state, time() + RUN_SECONDS);
        });
    } catch (Failure $busy) {
        $report = report([], $busy->getMessage(), true);
    }
    if ($report['more']) {
        $report['problem'] === '' ? wake() : follow_later(30);
    }
    return $report;
}

function report(array $counts, string $problem = '', bool $more = false): array
{
    return compact('counts', 'problem', 'more');
}

/**
 * `deleted`: articles to remove, unless the feed has them again before its end (renamed ones). `again`: articles to retry.
 * `sweeps`: this `reading` of the whole feed removes posts whose articles it did not have. `skims`: imports nothing.
 */
function feed_state(): array
{
    $settings = settings();
    $state = read_option(FEED);
    $fresh = ['site' => $settings['site_id'], 'cursor' => null, 'etag' => '', 'deleted' => [], 'again' => [], 'reading' => '',
        'sweeps' => false, 'skims' => $settings['start'] === 'now', 'since' => '', 'not_before' => 0, 'failures' => 0, 'problem' => ''];
    return ($state['site'] ?? null) === $settings['site_id'] ? array_merge($fresh, $state) : $fresh;
}

function read_feed(array $state, int $end): array
{
    $counts = [];
    do {
        $woken = get_woken();
        $answer = ask_service('/changes', query_of($state), $state['etag']);
        if ($answer['status'] === 410 || ($answer['status'] === 400 && $state['cursor'] !== null)) {
            record('feed read again', 'the cursor is not known any more');
            $state = array_merge($state, ['cursor' => null, 'etag' => '', 'deleted' => [], 'reading' => uniqid(), 'sweeps' => true]);
            write_option(FEED, $state);
            $more = true;
            continue;
        }
        $page = page_of($answer, $state);
        if (!$page) {
            return postpone($state, $answer, $counts);
        }
        if ($state['problem'] !== '') {
            record('content API answers again');
        }
        foreach (apply_page($page['items'], $state) as $what => $count) {
            $counts[$what] = ($counts[$what] ?? 0) + $count;
        }
        $state['etag'] = $page['cursor'] === $state['cursor'] ? $answer['etag'] : '';
        $state = array_merge($state, ['cursor' => $page['cursor'], 'not_before' => 0, 'failures' => 0, 'problem' => '']);
        write_option(FEED, $state);
        $more = $page['hasMore'];
        if (!$more) {
            foreach (finish_reading($state) as $what => $count) {
                $counts[$what] = ($counts[$what] ?? 0) + $count;
            }
            $more = $woken !== get_woken();
        }
    } while ($more && time() < $end);
    return report($counts, '', $more);
}

function query_of(array $state): array
{
    $query = $state['skims'] ? ['limit' => PAGE_OF_TITLES] : ['limit' => PAGE, 'include' => 'content,metadata,readiness'];
    return $state['cursor'] === null ? $query : $query + ['cursor' => $state['cursor']];
}

/** Null for an invalid answer. */
function page_of(array &$answer, array $state): ?array
{
    if ($answer['status'] === 304) {
        return ['items' => [], 'cursor' => $state['cursor'], 'hasMore' => false];
    }
    ['body' => $page, 'problem' => $problem] = $answer;
    if ($problem !== '') {
        return null;
    }
    $is_page = is_array($page['items'] ?? null) && is_string($page['cursor'] ?? null) && is_bool($page['hasMore'] ?? null);
    if (!$is_page || ($page['hasMore'] && $page['cursor'] === $state['cursor'])) {
        $answer['status'] = 0;
        $answer['problem'] = $is_page ? 'the content API gives the same page again' : 'the content API gave no page of changes';
        return null;
    }
    return $page;
}

/** Keeps the cursor, so that the next run asks for the same page. */
function postpone(array $state, array $answer, array $counts): array
{
    ['status' => $status, 'problem' => $problem, 'retry_after' => $wait] = $answer;
    $state['failures']++;
    if ($wait === 0 && ($status === 0 || $status >= 500)) {
        $wait = min(HOUR_IN_SECONDS, 30 * 2 ** min($state['failures'], 10));
    }
    if ($wait === 0 && $status === 429) {
        $wait = 5 * MINUTE_IN_SECONDS;
    }
    if ($state['problem'] !== $problem) {
        record('content API cannot be read', $problem . ($wait > 0 ? "; asked again in $wait s" : ''));
    }
    write_option(FEED, array_merge($state, ['not_before' => time() + $wait, 'problem' => $problem]));
    if ($wait > 0 && $wait < 5 * MINUTE_IN_SECONDS) {
        follow_later($wait);
    }
    return report($counts, $problem);
}

function apply_page(array $items, array &$state): array
{
    $counts = [];
    $left_out = [];
    foreach ($items as $change) {
        $outcome = is_array($change) && ($change['resource'] ?? null) === 'post' ? apply_change($change, $state) : null;
        if (!$outcome) {
            continue;
        }
        $counts[$outcome['what']] = ($counts[$outcome['what']] ?? 0) + 1;
        if ($outcome['what'] === 'left out') {
            $left_out[$outcome['why']][] = text($change, 'slug');
        }
    }
    foreach ($left_out as $why => $slugs) {
        record('left out', $why, implode(', ', $slugs));
    }
    return $counts;
}

function apply_change(array $change, array &$state): ?array
{
    $slug = text($change, 'slug');
    $id = text($change, 'id');
    if (($change['type'] ?? null) === 'delete') {
        $state['deleted'][$id] = $slug;
        unset($state['again'][$id]);
        return null;
    }
    unset($state['deleted'][$id]);
    $post = $state['sweeps'] ? find_post($id) : 0;
    if ($post) {
        write_meta($post, SEEN, $state['reading']);
    }
    $at = text($change, 'updatedAt');
    // With the start `now`, it was skipped before.
    $is_old = $state['sweeps'] && settings()['start'] === 'now' && strcmp($at, $state['since']) <= 0;
    $state['since'] = max($at, $state['since']);
    $article = $change['post'] ?? null;
    // A missing article was deleted since. Its deletion comes later in the feed.
    return $state['skims'] || $is_old || !is_array($article) ? null : attempt($id, $slug, $state, function () use ($article, $id): array {
        if (text($article, 'id') !== $id) {
            throw new Failure('the content API gave another article', false);
        }
        return take($article);
    });
}

/** Schedules a retry after a failure, up to `MAX_TRIES`, so that other articles don't wait. */
function attempt(string $id, string $slug, array &$state, callable $work): array
{
    $tries = ($state['again'][$id]['tries'] ?? 0) + 1;
    unset($state['again'][$id]);
    try {
        $outcome = $work();
    } catch (Failure $failure) {
        $outcome = outcome('failed', $failure->getMessage(), 0, $failure->passes);
    }
    $is_given_up = $outcome['again'] && $tries >= MAX_TRIES;
    if ($outcome['again'] && !$is_given_up) {
        $state['again'][$id] = ['slug' => $slug, 'tries' => $tries, 'at' => time() + 5 * MINUTE_IN_SECONDS * 2 ** ($tries - 1)];
    }
    if (!in_array($outcome['what'], ['unchanged', 'left out'], true)) {
        $again = $is_given_up ? '; given up' : ($outcome['again'] ? '; tried again later' : '');
        record($outcome['what'], $outcome['why'] . $again, $slug, $outcome['post']);
    }
    return $outcome;
}

/** Handles removals and retries at the end of the feed. */
function finish_reading(array &$state): array
{
    $counts = [];
    $state['skims'] = false;
    foreach ($state['deleted'] + ($state['sweeps'] ? unseen($state['reading']) : []) as $id => $slug) {
        $outcome = attempt($id, $slug, $state, function () use ($id, $slug): array {
            return remove($id, $slug);
        });
        $counts[$outcome['what']] = ($counts[$outcome['what']] ?? 0) + 1;
        if ($outcome['what'] !== 'failed' || !$outcome['again']) {
            unset($state['deleted'][$id]);
        }
    }
    $state['sweeps'] = false;
    foreach ($state['again'] as $id => ['slug' => $slug, 'at' => $at]) {
        if ($at > time() || isset($state['deleted'][$id])) {
            continue;
        }
        $outcome = attempt($id, $slug, $state, function () use ($id, $slug): array {
            $article = fetch_article($slug);
            // Deleted or renamed since: the feed has it.
            return $article && text($article, 'id') === $id ? take($article) : outcome('unchanged', 'it is gone', 0);
        });
        $counts[$outcome['what']] = ($counts[$outcome['what']] ?? 0) + 1;
    }
    write_option(FEED, $state);
    return $counts;
}

function get_woken(): string
{
    wp_cache_delete(WOKEN, 'options');
    wp_cache_delete('notoptions', 'options');
    return (string) get_option(WOKEN, '');
}
