<?php
// The plugin's pages, and the handlers of their forms.
namespace HeadlessContent;

defined('ABSPATH') || exit;

const SETTINGS_PAGE = 'headless-content';
const LOG_PAGE = 'headless-content-log';

function add_pages(): void
{
    $show = __NAMESPACE__ . '\show_';
    add_menu_page('Headless Content', 'Headless Content', 'manage_options', SETTINGS_PAGE, $show . 'settings_page', 'dashicons-download');
    add_submenu_page(SETTINGS_PAGE, 'Headless Content: settings', 'Settings', 'manage_options', SETTINGS_PAGE, $show . 'settings_page');
    add_submenu_page(SETTINGS_PAGE, 'Headless Content: log', 'Log', 'manage_options', LOG_PAGE, $show . 'log_page');
}

/** Dies with 403 instead of throwing. */
function check_form(string $action): void
{
    check_admin_referer($action);
    if (!current_user_can('manage_options')) {
        wp_die('You may not change these settings.', '', ['response' => 403]);
    }
}

function save_settings(): void
{
    check_form('headless_content_settings');
    $given = wp_unslash($_POST);
    $before = settings();
    [$settings, $problems] = checked_settings(is_array($given) ? $given : [], $before);
    if (!$problems) {
        update_option(SETTINGS, $settings, false);
        if ([$before['base_url'], $before['site_id'], $before['start']] !== [$settings['base_url'], $settings['site_id'], $settings['start']]
            || $before['take'] !== $settings['take']) {
            delete_option(FEED);
        } elseif ($before['api_key'] !== $settings['api_key']) {
            write_option(FEED, array_merge(feed_state(), ['not_before' => 0, 'etag' => '']));
        }
        schedule_feed();
    }
    go_back(implode(' ', $problems), 'Saved.');
}

/** Returns valid settings and a list of problems. An empty key or secret keeps the old one, but the key only for the same server. */
function checked_settings(array $given, array $settings): array
{
    $problems = [];
    $text = function (string $name) use ($given): string {
        return is_string($given[$name] ?? null) ? trim($given[$name]) : '';
    };
    $url = base_url($text('base_url'));
    if ($url === '') {
        $problems[] = 'The address of the API must be https, or http on this machine, without a user or a query.';
    }
    $site = strtolower($text('site_id'));
    if (!preg_match('/\A[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\z/', $site)) {
        $problems[] = 'The site id must be a UUID.';
    }
    $is_same_server = $settings['base_url'] === '' || server_of($url) === server_of($settings['base_url']);
    $key = $text('api_key') ?: ($is_same_server ? $settings['api_key'] : '');
    if ($key === '' && !$is_same_server) {
        $problems[] = 'The API key must be entered again for another server.';
    } elseif (!preg_match('/\A[\x21-\x7e]{8,200}\z/', $key)) {
        $problems[] = 'The API key must be 8 to 200 characters without spaces.';
    }
    $secret = $text('webhook_secret') ?: $settings['webhook_secret'];
    if ($secret !== '' && signing_key($secret) === '') {
        $problems[] = 'The webhook secret must be whsec_ and base64 of at least 24 bytes.';
    }
    $one_of = function (string $name, array $values) use ($text, $settings): string {
        return in_array($text($name), $values, true) ? $text($name) : $settings[$name];
    };
    return [[
        'base_url' => $url,
        'site_id' => $site,
        'api_key' => $key,
        'webhook_secret' => $secret,
        'author' => get_userdata(absint($text('author'))) ? absint($text('author')) : 0,
        'status' => $one_of('status', array_keys(STATUSES)),
        'category' => term_exists(absint($text('category')), 'category') ? absint($text('category')) : 0,
        'take' => $one_of('take', array_keys(TAKES)),
        'start' => $one_of('start', array_keys(STARTS)),
    ], $problems];
}

/** Ends with `/api/v1`. Empty for a URL that is not allowed. */
function base_url(string $given): string
{
    $parts = wp_parse_url($given);
    $host = strtolower((string) ($parts['host'] ?? ''));
    $scheme = strtolower((string) ($parts['scheme'] ?? ''));
    $is_here = in_array($host, ['localhost', '127.0.0.1', '[::1]'], true);
    if ($host === '' || !($scheme === 'https' || ($scheme === 'http' && $is_here))
        || array_intersect_key($parts, ['user' => 1, 'pass' => 1, 'query' => 1, 'fragment' => 1])) {
        return '';
    }
    $url = untrailingslashit(esc_url_raw($given, ['http', 'https']));
    return $url === '' || substr($url, -7) === '/api/v1' ? $url : "$url/api/v1";
}

function server_of(string $url): string
{
    $parts = wp_parse_url($url);
    return strtolower(($parts['scheme'] ?? '') . '://' . ($parts['host'] ?? '') . ':' . ($parts['port'] ?? ''));
}

function sync_now(): void
{
    check_form('headless_content_sync');
    ['counts' => $counts, 'problem' => $problem, 'more' => $more] = follow_feed(true);
    $done = [];
    foreach ($counts as $what => $count) {
        $done[] = "$count $what";
    }
    go_back($problem, 'Synced: ' . (implode(', ', $done) ?: 'nothing new') . ($more ? '; more comes in the background.' : '.'));
}

/** Returns to the form's page with a notice. */
function go_back(string $problem, string $success = 'Done.'): void
{
    set_transient('headless_content_told_' . get_current_user_id(), wp_json_encode([$problem, $success]), MINUTE_IN_SECONDS);
    wp_safe_redirect(wp_get_referer() ?: admin_url());
    exit;
}

function show_told(): void
{
    $name = 'headless_content_told_' . get_current_user_id();
    $told = json_decode((string) get_transient($name), true);
    if (!is_array($told)) {
        return;
    }
    delete_transient($name);
    [$problem, $success] = $told;
    printf(
        '<div class="notice notice-%s"><p>%s</p></div>',
        $problem === '' ? 'success' : 'error',
        esc_html($problem === '' ? $success : ucfirst($problem))
    );
}
