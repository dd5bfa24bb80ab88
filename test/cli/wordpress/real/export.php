<?php
// The file of Tools → Export.
require $argv[1] . '/wp-load.php';
require ABSPATH . 'wp-admin/includes/export.php';
wp_set_current_user(1);
export_wp();
