<?php
// Removes posts of deleted articles.
namespace HeadlessContent;

defined('ABSPATH') || exit;

/** Puts an unedited post into the bin. Asks an editor about an edited one. */
function remove(string $article, string $slug): array
{
    checked_id($article);
    return with_lock("post $article", POST_LOCK_SECONDS, function () use ($article, $slug): array {
        $id = find_post($article);
        if (!$id || get_post_status($id) === 'trash') {
            return outcome('unchanged', 'it is not here', $id);
        }
        if (get_post_status($id) === 'auto-draft') {
            wp_delete_post($id, true);
            return outcome('unchanged', 'it was not complete', 0);
        }
        $edited = array_merge(edited_fields($id), has_editors_status($id) ? ['status'] : []);
        if (!$edited) {
            write_meta($id, BINNED, '1');
            delete_post_meta($id, QUESTION);
            wp_trash_post($id);
            return outcome('put into the bin', 'it is gone at its source', $id);
        }
        return read_meta($id, KEPT) === 'deleted'
            ? outcome('left out', 'an editor has kept it', $id)
            : ask('delete', $id, $slug, 'deleted', $edited);
    });
}

/** Articles with posts here that a full reading of the feed did not have: id to slug. */
function unseen(string $reading): array
{
    global $wpdb;
    $rows = $wpdb->get_results($wpdb->prepare(
        "SELECT article.meta_value AS article, p.post_name AS slug FROM $wpdb->posts p
            JOIN $wpdb->postmeta article ON article.post_id = p.ID AND article.meta_key = %s
            JOIN $wpdb->postmeta site ON site.post_id = p.ID AND site.meta_key = %s AND site.meta_value = %s
            LEFT JOIN $wpdb->postmeta seen ON seen.post_id = p.ID AND seen.meta_key = %s AND seen.meta_value = %s
            WHERE p.post_type = 'post' AND p.post_status <> 'trash' AND seen.meta_id IS NULL",
        ID,
        SITE,
        settings()['site_id'],
        SEEN,
        $reading
    ));
    return wp_list_pluck($rows, 'slug', 'article');
}
