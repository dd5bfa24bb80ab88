<?php
// Database locks. The database releases a lock when its connection ends, even if the process crashed.
namespace HeadlessContent;

defined('ABSPATH') || exit;

/** @throws Failure if another process holds the lock for longer than `$seconds` */
function with_lock(string $name, int $seconds, callable $work)
{
    global $wpdb;
    $lock = lock_name($name);
    if ((string) $wpdb->get_var($wpdb->prepare('SELECT GET_LOCK(%s, %d)', $lock, $seconds)) !== '1') {
        throw new Failure('another process is at it');
    }
    try {
        return $work();
    } finally {
        $wpdb->get_var($wpdb->prepare('SELECT RELEASE_LOCK(%s)', $lock));
    }
}

/** @throws Failure if the connection was lost, and the lock with it */
function check_lock(string $name): void
{
    global $wpdb;
    if ((string) $wpdb->get_var($wpdb->prepare('SELECT IS_USED_LOCK(%s) = CONNECTION_ID()', lock_name($name))) !== '1') {
        throw new Failure('the connection to the database was lost');
    }
}

/** Lock names are shared by all databases of a server, and have at most 64 characters. */
function lock_name(string $name): string
{
    global $wpdb;
    return 'headless_content_' . md5(DB_NAME . ' ' . $wpdb->prefix . ' ' . $name);
}
