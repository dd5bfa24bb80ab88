<?php
// What the plugin keeps in the options of a site, and the names of what it keeps of a post.
namespace HeadlessContent;

defined('ABSPATH') || exit;

const SETTINGS = 'headless_content_settings';
/** How far the change feed was followed; see feed.php. */
const FEED = 'headless_content_feed';
const LOG = 'headless_content_log';

const DEFAULTS = [
    'base_url' => '',
    'site_id' => '',
    'api_key' => '',
    'webhook_secret' => '',
    'author' => 0,
    'status' => 'draft',
    'category' => 0,
    'take' => 'ready',
    'start' => 'all',
];

/** Metas of a post. */
const ID = '_headless_content_id';
const SITE = '_headless_content_site';
const UPDATED_AT = '_headless_content_updated_at';
/** A digest of the version that was taken. */
const SOURCE = '_headless_content_source';
/** What was stored when it was written, as JSON of a digest for each field. */
const WRITTEN = '_headless_content_written';
/** What a write that has not ended is storing, in the same form. */
const WRITING = '_headless_content_writing';
/** What an editor is asked, as JSON. */
const QUESTION = '_headless_content_question';
/** The version that an editor refused. */
const KEPT = '_headless_content_kept';
/** That an editor published or scheduled it. */
const PUBLISHED = '_headless_content_published';
/** That it went into the bin because it is gone at its source. */
const BINNED = '_headless_content_binned';
const DESCRIPTION = '_headless_content_description';
const CANONICAL = '_headless_content_canonical';
/** In which reading of the whole feed it was seen last. */
const SEEN = '_headless_content_seen';
/** Of an attachment: where it was downloaded from. */
const IMAGE_URL = '_headless_content_image_url';

function settings(): array
{
    return array_merge(DEFAULTS, array_intersect_key((array) get_option(SETTINGS, []), DEFAULTS));
}

/** Whether everything is there that requests need. */
function is_set_up(array $settings): bool
{
    return $settings['base_url'] !== '' && $settings['site_id'] !== '' && $settings['api_key'] !== '';
}

/** An option as it is in the database now, which another process may have just written. */
function read_option(string $name): array
{
    wp_cache_delete($name, 'options');
    wp_cache_delete('notoptions', 'options');
    $value = json_decode((string) get_option($name, ''), true);
    return is_array($value) ? $value : [];
}

function write_option(string $name, array $value): void
{
    wp_cache_delete($name, 'options');
    update_option($name, wp_json_encode($value), false);
}

function read_meta(int $post, string $name): string
{
    $value = get_post_meta($post, $name, true);
    return is_string($value) ? $value : '';
}

function write_meta(int $post, string $name, string $value): void
{
    update_post_meta($post, $name, wp_slash($value));
}

function read_json(int $post, string $name): array
{
    $value = json_decode(read_meta($post, $name), true);
    return is_array($value) ? $value : [];
}
