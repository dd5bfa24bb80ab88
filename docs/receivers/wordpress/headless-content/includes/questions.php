<?php
// Questions to editors, shown as notices.
namespace HeadlessContent;

defined('ABSPATH') || exit;

const SHOWN_QUESTIONS = 10;

/** @param string $version the digest of the new version, or `deleted` */
function ask(string $kind, int $post, string $slug, string $version, array $fields): array
{
    $question = compact('kind', 'slug', 'version', 'fields');
    if (read_json($post, QUESTION) === $question) {
        return outcome('unchanged', 'an editor is asked', $post);
    }
    write_meta($post, QUESTION, (string) wp_json_encode($question));
    $changed = implode(', ', array_map(__NAMESPACE__ . '\field_label', $fields));
    return outcome('editor asked', ($kind === 'delete' ? 'it is gone at its source; ' : '') . "changed here: $changed", $post);
}

function withdraw_question(int $post): void
{
    delete_post_meta($post, QUESTION);
}

function field_label(string $field): string
{
    return explode(' in ', $field)[0];
}

function show_questions(): void
{
    $screen = get_current_screen();
    if (!current_user_can('edit_posts') || !$screen
        || !(in_array($screen->base, ['dashboard', 'edit', 'post'], true) || strpos($screen->base, 'headless-content') !== false)) {
        return;
    }
    $posts = get_posts(['post_type' => 'post', 'post_status' => ['publish', 'future', 'draft', 'pending', 'private'],
        'meta_key' => QUESTION, 'numberposts' => 100]);
    $mine = array_filter($posts, function ($post): bool {
        return current_user_can('edit_post', $post->ID);
    });
    foreach (array_slice($mine, 0, SHOWN_QUESTIONS) as $post) {
        show_question($post, read_json($post->ID, QUESTION));
    }
    if (count($mine) > SHOWN_QUESTIONS) {
        echo '<div class="notice notice-warning"><p>' . esc_html(sprintf('And %d more posts that changed here and at their source.',
            count($mine) - SHOWN_QUESTIONS)) . '</p></div>';
    }
}

function show_question(\WP_Post $post, array $question): void
{
    $is_gone = ($question['kind'] ?? '') === 'delete';
    $changed = implode(', ', array_map(__NAMESPACE__ . '\field_label', array_filter((array) ($question['fields'] ?? []), 'is_string')));
    ?>
    <div class="notice notice-warning">
        <p>
            <strong><a href="<?php echo esc_url((string) get_edit_post_link($post->ID)); ?>"><?php echo esc_html(get_the_title($post) ?: '(no title)'); ?></a></strong>
            <?php echo esc_html($is_gone ? 'is gone at its source.' : 'has a new version at its source.'); ?>
            <?php echo esc_html($changed === '' ? '' : "Changed here: $changed."); ?>
        </p>
        <form method="post" action="<?php echo esc_url(admin_url('admin-post.php')); ?>">
            <input type="hidden" name="action" value="headless_content_answer">
            <input type="hidden" name="post" value="<?php echo esc_attr((string) $post->ID); ?>">
            <input type="hidden" name="version" value="<?php echo esc_attr((string) ($question['version'] ?? '')); ?>">
            <?php wp_nonce_field("headless_content_answer_$post->ID"); ?>
            <p>
                <button class="button button-primary" name="answer" value="keep">Keep mine</button>
                <button class="button" name="answer" value="take"><?php echo esc_html($is_gone ? 'Put it into the bin' : 'Take the new version'); ?></button>
            </p>
        </form>
    </div>
    <?php
}

function answer_question(): void
{
    $id = absint($_POST['post'] ?? 0);
    check_admin_referer("headless_content_answer_$id");
    if (!$id || !current_user_can('edit_post', $id)) {
        wp_die('You may not edit this post.', '', ['response' => 403]);
    }
    $version = sanitize_text_field(wp_unslash((string) ($_POST['version'] ?? '')));
    $is_taken = ($_POST['answer'] ?? '') === 'take';
    try {
        $outcome = with_lock('post ' . read_meta($id, ID), POST_LOCK_SECONDS, function () use ($id, $version): array {
            clean_post_cache($id);
            $question = read_json($id, QUESTION);
            if (($question['version'] ?? null) !== $version) {
                throw new Failure('It has changed again meanwhile: look once more.');
            }
            return $question;
        });
        $is_taken ? take_answer($id, $outcome) : keep_answer($id, $outcome);
        $told = '';
    } catch (Failure $failure) {
        $told = $failure->getMessage();
    }
    go_back($told);
}

function keep_answer(int $id, array $question): void
{
    write_meta($id, KEPT, $question['version']);
    withdraw_question($id);
    record('kept by an editor', 'the version that is here stays', (string) $question['slug'], $id);
}

/** @throws Failure */
function take_answer(int $id, array $question): void
{
    $slug = (string) $question['slug'];
    if ($question['kind'] === 'delete') {
        if (!current_user_can('delete_post', $id)) {
            throw new Failure('You may not delete this post.');
        }
        withdraw_question($id);
        wp_trash_post($id);
        record('put into the bin', 'an editor decided so', $slug, $id);
        return;
    }
    $article = fetch_article($slug);
    if (!$article || text($article, 'id') !== read_meta($id, ID)) {
        throw new Failure('It has been deleted or renamed at its source: that comes with the next sync.');
    }
    $outcome = take($article, true);
    record($outcome['what'], trim('an editor decided so ' . $outcome['why']), $slug, $id);
}
