<?php
// Runs the sync every five minutes, after each event, and again while work is left.
namespace HeadlessContent;

defined('ABSPATH') || exit;

/** WordPress does not schedule a hook twice while it waits, so each purpose has its own. */
const HOOKS = ['headless_content_feed', 'headless_content_wake', 'headless_content_again'];

function add_interval($schedules): array
{
    $schedules = (array) $schedules;
    $schedules['headless_content'] = ['interval' => 5 * MINUTE_IN_SECONDS, 'display' => 'Every five minutes'];
    return $schedules;
}

function schedule_feed(): void
{
    if (!wp_next_scheduled(HOOKS[0]) && is_set_up(settings())) {
        wp_schedule_event(time(), 'headless_content', HOOKS[0]);
    }
}

function unschedule_feed(): void
{
    foreach (HOOKS as $hook) {
        wp_clear_scheduled_hook($hook);
    }
}

/** Runs in its own process, so that the request need not wait. */
function wake(): void
{
    update_option(WOKEN, uniqid('', true), false);
    if (!wp_next_scheduled(HOOKS[1])) {
        wp_schedule_single_event(time(), HOOKS[1]);
    }
    spawn_cron();
}

function follow_later(int $seconds): void
{
    if (!wp_next_scheduled(HOOKS[2])) {
        wp_schedule_single_event(time() + $seconds, HOOKS[2]);
    }
}

function follow_feed_by_cron(): void
{
    follow_feed();
}
