<?php
/**
 * Plugin Name: Headless Content
 * Description: Imports articles of a headless content API as posts, by webhook and by following the change feed. Never overwrites an editor's changes.
 * Version: 1.0.0
 * Requires at least: 5.9
 * Requires PHP: 7.4
 * License: GPL-2.0-or-later
 * License URI: https://www.gnu.org/licenses/gpl-2.0.html
 * Text Domain: headless-content
 */

namespace HeadlessContent;

defined('ABSPATH') || exit;

foreach (['options', 'failure', 'lock', 'log', 'service', 'route', 'fields', 'terms', 'seo', 'language', 'public-address',
    'images', 'stored', 'write', 'take', 'remove', 'feed', 'schedule', 'questions', 'admin', 'settings-page', 'log-page'] as $part) {
    require_once __DIR__ . "/includes/$part.php";
}

add_action('rest_api_init', __NAMESPACE__ . '\register_route');
add_filter('cron_schedules', __NAMESPACE__ . '\add_interval');
add_action('init', __NAMESPACE__ . '\schedule_feed');
foreach (HOOKS as $hook) {
    add_action($hook, __NAMESPACE__ . '\follow_feed_by_cron');
}
register_deactivation_hook(__FILE__, __NAMESPACE__ . '\unschedule_feed');

add_action('transition_post_status', __NAMESPACE__ . '\note_publication', 10, 3);
add_filter('get_canonical_url', __NAMESPACE__ . '\canonical_url', 10, 2);
add_action('wp_head', __NAMESPACE__ . '\print_description', 1);

add_action('admin_menu', __NAMESPACE__ . '\add_pages');
add_action('admin_notices', __NAMESPACE__ . '\show_told');
add_action('admin_notices', __NAMESPACE__ . '\show_questions');
add_action('admin_post_headless_content_settings', __NAMESPACE__ . '\save_settings');
add_action('admin_post_headless_content_sync', __NAMESPACE__ . '\sync_now');
add_action('admin_post_headless_content_answer', __NAMESPACE__ . '\answer_question');
