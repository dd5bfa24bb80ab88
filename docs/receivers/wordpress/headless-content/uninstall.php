<?php
// Removes the plugin's options and metas. Posts, images, categories, tags and fields of SEO plugins stay.
defined('WP_UNINSTALL_PLUGIN') || exit;

function headless_content_uninstall_site(): void
{
    global $wpdb;
    foreach (['headless_content_feed', 'headless_content_wake', 'headless_content_again'] as $hook) {
        wp_clear_scheduled_hook($hook);
    }
    foreach (['settings', 'feed', 'log', 'woken'] as $option) {
        delete_option("headless_content_$option");
    }
    $like = $wpdb->esc_like('_headless_content_') . '%';
    $names = $wpdb->get_col($wpdb->prepare("SELECT DISTINCT meta_key FROM $wpdb->postmeta WHERE meta_key LIKE %s", $like));
    foreach ($names as $name) {
        delete_post_meta_by_key($name);
    }
    $told = $wpdb->esc_like('_transient_headless_content_told_') . '%';
    foreach ($wpdb->get_col($wpdb->prepare("SELECT option_name FROM $wpdb->options WHERE option_name LIKE %s", $told)) as $name) {
        delete_transient(substr($name, strlen('_transient_')));
    }
}

if (is_multisite()) {
    foreach (get_sites(['fields' => 'ids', 'number' => 0]) as $headless_content_site) {
        switch_to_blog((int) $headless_content_site);
        headless_content_uninstall_site();
        restore_current_blog();
    }
} else {
    headless_content_uninstall_site();
}
