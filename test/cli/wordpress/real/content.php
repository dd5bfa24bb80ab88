<?php
// A site with typical obstacles for importers. Prints an application password as JSON.
define('WP_INSTALLING', true);
require $argv[1] . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/admin.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
global $wpdb;

wp_install('The Quay', 'quay', 'mail@quay.example', true, '', 'not-used-over-http');
foreach (get_posts(['post_type' => ['post', 'page'], 'post_status' => 'any', 'numberposts' => -1]) as $sample) {
    wp_delete_post($sample->ID, true);
}
update_option('timezone_string', 'Europe/Berlin');
update_option('permalink_structure', '/%year%/%monthnum%/%postname%/');
update_option('WPLANG', '');
// The installer leaves these to the first visit.
do_action('init');
wp_set_current_user(1);
kses_remove_filters();
$ann = wp_insert_user([
    'user_login' => 'ann', 'user_pass' => 'not-used', 'user_email' => 'ann@quay.example',
    'display_name' => "Ann O'Hara & Söhne", 'role' => 'editor',
]);

function upload(string $name, string $alt, int $parent = 0, string $caption = ''): int {
    $bytes = str_ends_with($name, '.pdf') ? "%PDF-1.4\n%%EOF\n" : base64_decode(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==');
    $file = wp_upload_bits($name, null, $bytes, '2024/03');
    $id = wp_insert_attachment([
        'post_title' => $name, 'post_mime_type' => $file['type'], 'guid' => $file['url'], 'post_excerpt' => $caption,
        'post_date' => '2024-03-01 10:00:00', 'post_status' => 'inherit',
    ], $file['file'], $parent);
    if ($alt !== '') {
        update_post_meta($id, '_wp_attachment_image_alt', $alt);
    }
    return $id;
}

$clock = 0;
// Dates in summer and winter alternate; given fields take precedence.
function article(string $title, string $content, array $more = []): int {
    global $clock, $ann;
    $clock += 1;
    $month = $clock % 2 === 0 ? '01' : '07';
    $id = wp_insert_post(wp_slash($more + [
        'post_title' => $title, 'post_content' => $content, 'post_status' => 'publish', 'post_author' => $ann,
        'post_date' => sprintf('2024-%s-%02d 09:30:00', $month, $clock),
    ]), true);
    if (is_wp_error($id)) {
        throw new Exception($title . ': ' . $id->get_error_message());
    }
    return $id;
}

$boat = upload('boat.png', 'A red boat', 0, 'At the <em>quay</em>');
$pier = upload('pier.png', '', 0, '');
$plan = upload('plan.pdf', '');

$many = article('Sixty tags', "<!-- wp:paragraph -->\n<p>As many words as ropes.</p>\n<!-- /wp:paragraph -->", [
    'tags_input' => array_map(fn ($n) => sprintf('rope %02d', $n), range(1, 60)),
]);
wp_set_post_terms($many, [
    wp_create_category('Boats & Ships'), wp_create_category('News'),
], 'category');
wp_set_object_terms($many, ['Cutter', 'Sloop'], 'boat');
set_post_thumbnail($many, $boat);
update_post_meta($many, 'depth', 4);
update_post_meta($many, '_yoast_wpseo_metadesc', 'Ropes, counted');
stick_post($many);

$inner = article('Opening hours', "<!-- wp:paragraph -->\n<p>Open from nine to five.</p>\n<!-- /wp:paragraph -->",
    ['post_type' => 'wp_block']);
$outer = article('Address', "<!-- wp:heading -->\n<h2>Where we are</h2>\n<!-- /wp:heading -->\n\n<!-- wp:block {\"ref\":$inner} /-->",
    ['post_type' => 'wp_block']);
$secret = article('Gate code', "<!-- wp:paragraph -->\n<p>The gate opens with 4711.</p>\n<!-- /wp:paragraph -->",
    ['post_type' => 'wp_block', 'post_password' => 'x']);
$unready = article('Unready', "<!-- wp:paragraph -->\n<p>Not yet to be read.</p>\n<!-- /wp:paragraph -->",
    ['post_type' => 'wp_block', 'post_status' => 'draft']);
article('Reusable blocks', <<<END
<!-- wp:paragraph -->
<p>Before the address.</p>
<!-- /wp:paragraph -->

<!-- wp:block {"ref":$outer} /-->

<!-- wp:block {"ref":$secret} /-->

<!-- wp:block {"ref":$unready} /-->

<!-- wp:block {"ref":999999} /-->

<!-- wp:paragraph -->
<p>After the address.</p>
<!-- /wp:paragraph -->
END);

article('Blocks made anew', <<<END
<!-- wp:paragraph -->
<p>The days of the quay.</p>
<!-- /wp:paragraph -->

<!-- wp:calendar /-->

<!-- wp:latest-posts {"postsToShow":3} /-->

<!-- wp:search {"label":"Look for a berth","buttonText":"Look"} /-->

<!-- wp:archives /-->

<!-- wp:paragraph -->
<p>And its nights.</p>
<!-- /wp:paragraph -->
END);

$boatUrl = wp_get_attachment_url($boat);
$planUrl = wp_get_attachment_url($plan);
article('Marks of a page', <<<END
<!-- wp:paragraph {"align":"center"} -->
<p class="has-text-align-center">In the middle, with <a href="https://tide.example/" target="_blank" rel="noreferrer noopener">a tide table</a>.</p>
<!-- /wp:paragraph -->

<!-- wp:list {"ordered":true,"reversed":true,"start":3} -->
<ol reversed start="3"><li>three</li><li>two</li></ol>
<!-- /wp:list -->

<!-- wp:image {"id":$boat,"align":"left"} -->
<figure class="wp-block-image alignleft"><img src="$boatUrl" alt="Red" class="wp-image-$boat"/><figcaption>Red boat</figcaption></figure>
<!-- /wp:image -->

<!-- wp:file {"id":$plan,"href":"$planUrl"} -->
<div class="wp-block-file"><a href="$planUrl">The plan</a><a href="$planUrl" class="wp-block-file__button" download>Download</a></div>
<!-- /wp:file -->

<!-- wp:html -->
<p>Say <input type="text" value="ahoy"> and <input type="checkbox" checked> mean it.</p>
<!-- /wp:html -->
END);

$classic = article('The classic editor', <<<END
First a line.
Then another.

<!--more-->

[gallery ids="$boat,$pier"]

[caption id="attachment_$boat" align="alignright" width="1"]<img src="$boatUrl" alt="Red" width="1" height="1" /> Red again[/caption]

[tide_form berth="3"]

[tide_table]

[[gallery]] is how a gallery is written.

https://video.example/watch?v=1

<!--nextpage-->

The second page.
END, ['tags_input' => ['classic', 'C & A'], 'post_excerpt' => "What was <b>before</b> blocks & after"]);
set_post_thumbnail($classic, $pier);

article('Short, with a form', "Ask here.\n\n[tide_form]\n\nOr call.");
article('Tom &amp; Jerry <em>sail</em>', '<!-- wp:paragraph --><p>No “plain” title &lt;3.</p><!-- /wp:paragraph -->');
foreach (['港の朝', 'Порт утром', 'Λιμάνι το πρωί', 'مرفأ الصباح'] as $title) {
    article($title, "<!-- wp:paragraph --><p>$title.</p><!-- /wp:paragraph -->", ['post_name' => sanitize_title($title)]);
}
article('Private berth', '<!-- wp:paragraph --><p>For the crew.</p><!-- /wp:paragraph -->', ['post_status' => 'private']);
article('Behind a password', '<!-- wp:paragraph --><p>The code of the gate.</p><!-- /wp:paragraph -->',
    ['post_password' => 'ahoy']);
article('Regatta', '<!-- wp:paragraph --><p>Next decade.</p><!-- /wp:paragraph -->',
    ['post_status' => 'future', 'post_date' => '2035-06-01 12:00:00']);
article('For review', '<!-- wp:paragraph --><p>Is it right?</p><!-- /wp:paragraph -->', ['post_status' => 'pending']);
$floating = article('Draft without a date', '<!-- wp:paragraph --><p>Some day.</p><!-- /wp:paragraph -->',
    ['post_status' => 'draft']);
// Older versions and other importers leave drafts with local times only.
$wpdb->update($wpdb->posts, [
    'post_date' => '2024-07-20 09:30:00', 'post_date_gmt' => '0000-00-00 00:00:00',
    'post_modified' => '2024-07-20 09:30:00', 'post_modified_gmt' => '0000-00-00 00:00:00',
], ['ID' => $floating]);
$dated = article('Draft with a date', '<!-- wp:paragraph --><p>A set day.</p><!-- /wp:paragraph -->', ['post_status' => 'draft']);
$wpdb->update($wpdb->posts, [
    'post_date' => '2031-01-20 09:30:00', 'post_date_gmt' => '2031-01-20 08:30:00',
    'post_modified' => '2024-07-21 09:30:00', 'post_modified_gmt' => '2024-07-21 07:30:00',
], ['ID' => $dated]);
article('In the bin', 'x', ['post_status' => 'trash']);
$control = article('Control', 'x');
$wpdb->update($wpdb->posts, [
    'post_title' => "Bell\x07 and tab", 'post_content' => "<!-- wp:paragraph --><p>Up\x0b and\x08 down.</p><!-- /wp:paragraph -->",
], ['ID' => $control]);
$renamed = article('Renamed', '<!-- wp:paragraph --><p>Once it had another name.</p><!-- /wp:paragraph -->',
    ['post_name' => 'first-name']);
wp_update_post(['ID' => $renamed, 'post_name' => 'second-name']);
add_post_meta($renamed, '_wp_old_slug', 'first-name');
wp_insert_comment(['comment_post_ID' => $renamed, 'comment_content' => 'Ahoy', 'comment_approved' => 1]);

$about = article('About', '<!-- wp:paragraph --><p>Who we are.</p><!-- /wp:paragraph -->', ['post_type' => 'page']);
article('History', '<!-- wp:paragraph --><p>Who we were.</p><!-- /wp:paragraph -->',
    ['post_type' => 'page', 'post_parent' => $about]);

[$password] = WP_Application_Passwords::create_new_application_password(1, ['name' => 'test']);
echo json_encode(['password' => $password]);
