<?php
// The last results, with reasons.
namespace HeadlessContent;

defined('ABSPATH') || exit;

const LOG_LENGTH = 200;

/** Newest first. */
function record(string $what, string $why = '', string $slug = '', int $post = 0): void
{
    $line = ['at' => time(), 'what' => $what, 'why' => mb_substr($why, 0, 500), 'slug' => mb_substr($slug, 0, 200), 'post' => $post];
    $write = function () use ($line) {
        write_option(LOG, array_slice(array_merge([$line], read_option(LOG)), 0, LOG_LENGTH));
    };
    try {
        with_lock('log', 5, $write);
    } catch (Failure $busy) {
        $write();
    }
}
