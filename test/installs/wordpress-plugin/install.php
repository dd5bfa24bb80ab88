<?php
// A site with an administrator, an editor and a category, and the plugin active and set up as JSON on the input says.
define('WP_INSTALLING', true);
require $argv[1] . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/admin.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';

wp_install('The Quay', 'admin', 'admin@quay.example', true, '', 'the-password');
foreach (get_posts(['post_type' => ['post', 'page'], 'post_status' => 'any', 'numberposts' => -1]) as $sample) {
    wp_delete_post($sample->ID, true);
}
update_option('permalink_structure', '/%postname%/');
wp_insert_user(['user_login' => 'ann', 'user_pass' => 'the-password', 'user_email' => 'ann@quay.example',
    'display_name' => "Ann O'Hara & Söhne", 'role' => 'editor']);
wp_insert_user(['user_login' => 'bob', 'user_pass' => 'the-password', 'user_email' => 'bob@quay.example', 'role' => 'subscriber']);
// Debian has WordPress' themes in packages of their own.
$theme = WP_CONTENT_DIR . '/themes/plain';
wp_mkdir_p($theme);
file_put_contents("$theme/style.css", "/* Theme Name: Plain */");
file_put_contents("$theme/index.php", '<?php wp_head(); while (have_posts()) { the_post(); the_title(); the_content(); }');
switch_theme('plain');
do_action('init');
wp_insert_term('Quay news', 'category');
activate_plugin('headless-content/headless-content.php');
