<?php
// The plugin's options, and the names of its post metas.
namespace HeadlessContent;

defined('ABSPATH') || exit;

const SETTINGS = 'headless_content_settings';
/** The state of the change feed; see feed.php. */
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

/** Post metas. */
const ID = '_headless_content_id';
const SITE = '_headless_content_site';
const UPDATED_AT = '_headless_content_updated_at';
/** A digest of the imported version. */
const SOURCE = '_headless_content_source';
/** JSON with a digest of each field, as stored after the last write. */
const WRITTEN = '_headless_content_written';
/** The same for a write in progress. */
const WRITING = '_headless_content_writing';
/** The open question to an editor, as JSON. */
const QUESTION = '_headless_content_question';
/** The version that an editor refused. */
const KEPT = '_headless_content_kept';
/** Set if an editor published or scheduled the post. */
const PUBLISHED = '_headless_content_published';
/** Set if the plugin put the post into the bin because its article was deleted. */
const BINNED = '_headless_content_binned';
const DESCRIPTION = '_headless_content_description';
const CANONICAL = '_headless_content_canonical';
/** The last full reading of the feed that had the article. */
const SEEN = '_headless_content_seen';
/** Attachment meta: the image's source. */
const IMAGE_URL = '_headless_content_image_url';

function settings(): array
{
    return array_merge(DEFAULTS, array_intersect_key((array) get_option(SETTINGS, []), DEFAULTS));
}

function is_set_up(array $settings): bool
{
    return $settings['base_url'] !== '' && $settings['site_id'] !== '' && $settings['api_key'] !== '';
}

/** Bypasses the cache, because another process may have just written the option. */
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
