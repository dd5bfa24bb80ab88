<?php
// Each post and page from SQL, as JSON. PHP decodes text that WordPress stores as HTML.
$sql = new mysqli($argv[1], 'root', '', $argv[2], (int) $argv[3]);
$sql->set_charset('utf8mb4');
$all = fn (string $query): array => $sql->query($query)->fetch_all(MYSQLI_ASSOC);
$text = fn (string $html): string => trim(preg_replace('/\s+/u', ' ', html_entity_decode(strip_tags($html), ENT_QUOTES | ENT_HTML5)));

$posts = $all("SELECT p.*, u.display_name FROM wp_posts p LEFT JOIN wp_users u ON u.ID = p.post_author
    WHERE post_type IN ('post', 'page') AND post_status NOT IN ('trash', 'auto-draft') ORDER BY p.ID");
$terms = $all("SELECT r.object_id, tt.taxonomy, t.name FROM wp_term_relationships r
    JOIN wp_term_taxonomy tt USING (term_taxonomy_id) JOIN wp_terms t USING (term_id) ORDER BY t.name");
$files = array_column($all("SELECT post_id, meta_value FROM wp_postmeta WHERE meta_key = '_wp_attached_file'"), 'meta_value', 'post_id');
$alts = array_column($all("SELECT post_id, meta_value FROM wp_postmeta WHERE meta_key = '_wp_attachment_image_alt'"), 'meta_value', 'post_id');
$images = array_column($all("SELECT post_id, meta_value FROM wp_postmeta WHERE meta_key = '_thumbnail_id'"), 'meta_value', 'post_id');
$named = fn (string $id, string $taxonomy): array => array_values(array_map(
    fn ($term) => $text($term['name']),
    array_filter($terms, fn ($term) => $term['object_id'] === $id && $term['taxonomy'] === $taxonomy)));
// MariaDB has no time zone tables here, and PHP does.
$utc = fn (string $gmt, string $local): ?string => match (true) {
    $gmt !== '0000-00-00 00:00:00' => str_replace(' ', 'T', $gmt) . '.000Z',
    default => (new DateTime($local, new DateTimeZone('Europe/Berlin')))->setTimezone(new DateTimeZone('UTC'))->format('Y-m-d\TH:i:s.000\Z'),
};

echo json_encode(array_map(fn ($post) => [
    'id' => (int) $post['ID'],
    'kind' => $post['post_type'] === 'page' ? 'guides' : 'posts',
    'wordpressStatus' => $post['post_status'],
    'hasPassword' => $post['post_password'] !== '',
    'slug' => urldecode($post['post_name']),
    'title' => $text($post['post_title']),
    'excerpt' => $text($post['post_excerpt']),
    'status' => $post['post_status'] === 'publish' && $post['post_password'] === '' ? 'published' : 'draft',
    'publishedAt' => $post['post_date_gmt'] === '0000-00-00 00:00:00' ? null : $utc($post['post_date_gmt'], ''),
    'dateModified' => $utc($post['post_modified_gmt'], $post['post_modified']),
    'author' => $text($post['display_name']),
    'categories' => $named($post['ID'], 'category'),
    'tags' => $named($post['ID'], 'post_tag'),
    'boats' => $named($post['ID'], 'boat'),
    'image' => isset($images[$post['ID']]) ? '/wp-content/uploads/' . $files[$images[$post['ID']]] : null,
    'imageAlt' => isset($images[$post['ID']]) ? ($alts[$images[$post['ID']]] ?? '') : null,
    'content' => $post['post_content'],
], $posts), JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR);
