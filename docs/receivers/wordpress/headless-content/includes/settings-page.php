<?php
namespace HeadlessContent;

defined('ABSPATH') || exit;

const STATUSES = ['draft' => 'Draft', 'pending' => 'Pending review', 'publish' => 'Published'];
const TAKES = [
    'ready' => 'Drafts that are marked ready, and published articles',
    'published' => 'Published articles',
    'all' => 'All drafts and published articles',
];
const STARTS = ['all' => 'Everything there is', 'now' => 'What changes from now on'];

function show_settings_page(): void
{
    $settings = settings();
    $users = wp_list_pluck(get_users(['capability' => 'edit_posts', 'number' => 500, 'fields' => ['ID', 'display_name']]), 'display_name', 'ID');
    $categories = wp_list_pluck(get_categories(['hide_empty' => false]), 'name', 'term_id');
    ?>
    <div class="wrap">
        <h1>Headless Content</h1>
        <form method="post" action="<?php echo esc_url(admin_url('admin-post.php')); ?>">
            <input type="hidden" name="action" value="headless_content_settings">
            <?php wp_nonce_field('headless_content_settings'); ?>
            <table class="form-table" role="presentation">
                <?php
                show_row('base_url', 'Address of the API', show_input('base_url', 'url', $settings['base_url'], 'https://content.example.com'));
                show_row('site_id', 'Site id', show_input('site_id', 'text', $settings['site_id'], '00000000-0000-0000-0000-000000000000'));
                show_row('api_key', 'API key', show_secret('api_key', $settings['api_key']), 'A key with the access “full”, or “published” if drafts are not wanted.');
                show_row('webhook_secret', 'Webhook secret', show_secret('webhook_secret', $settings['webhook_secret']), 'The site’s webhook goes to ' . rest_url(EVENTS_ROUTE));
                show_row('take', 'Take', show_choice('take', TAKES, $settings['take']));
                show_row('start', 'Start with', show_choice('start', STARTS, $settings['start']));
                show_row('status', 'Status of new posts', show_choice('status', STATUSES, $settings['status']));
                show_row('author', 'Author', show_choice('author', [0 => 'The first administrator'] + $users, $settings['author']), 'Of articles whose author is not the public name of an editor or administrator here.');
                show_row('category', 'Category', show_choice('category', [0 => 'The default category'] + $categories, $settings['category']), 'Of articles that have none.');
                ?>
            </table>
            <?php submit_button('Save'); ?>
        </form>
        <h2>Sync</h2>
        <p><?php echo esc_html(state_in_words($settings)); ?></p>
        <?php foreach (webhook_warnings() as $warning) : ?>
            <div class="notice notice-warning inline"><p><?php echo esc_html($warning); ?></p></div>
        <?php endforeach; ?>
        <form method="post" action="<?php echo esc_url(admin_url('admin-post.php')); ?>">
            <input type="hidden" name="action" value="headless_content_sync">
            <?php wp_nonce_field('headless_content_sync'); ?>
            <?php submit_button('Sync now', 'secondary', 'submit', false); ?>
        </form>
    </div>
    <?php
}

function state_in_words(array $settings): string
{
    if (!is_set_up($settings)) {
        return 'Starts when the address, the site id and the key are saved.';
    }
    $state = feed_state();
    $next = wp_next_scheduled(HOOKS[0]);
    $words = $state['cursor'] === null ? 'Nothing has been read yet.' : 'The change feed has been read.';
    $words .= $state['problem'] === '' ? '' : ' Problem: ' . $state['problem'] . '.';
    $words .= count($state['again']) === 0 ? '' : sprintf(' To be tried again: %d.', count($state['again']));
    return $words . ($next ? ' Next: ' . wp_date('Y-m-d H:i:s', max($next, $state['not_before'])) . '.' : '');
}

/** Warnings about lost events and common mistakes. Posts arrive by cron anyway. */
function webhook_warnings(): array
{
    $warnings = [];
    if (get_option('permalink_structure') === '') {
        $warnings[] = 'Permalinks are plain, so /wp-json/ does not exist: the webhook has to go to ' . rest_url(EVENTS_ROUTE)
            . ', or choose another structure under Settings → Permalinks.';
    }
    $problem = reach_problem();
    if ($problem !== '') {
        $warnings[] = ucfirst($problem) . '. Until then posts come by cron, every five minutes.';
    }
    return $warnings;
}

/** `$field` is HTML. */
function show_row(string $name, string $label, string $field, string $help = ''): void
{
    printf(
        '<tr><th scope="row"><label for="%s">%s</label></th><td>%s%s</td></tr>',
        esc_attr($name),
        esc_html($label),
        $field, // phpcs:ignore WordPress.Security.EscapeOutput -- made by the functions below
        $help === '' ? '' : '<p class="description">' . esc_html($help) . '</p>'
    );
}

function show_input(string $name, string $type, string $value, string $placeholder, string $more = ''): string
{
    return sprintf(
        '<input class="regular-text" id="%1$s" name="%1$s" type="%2$s" value="%3$s" placeholder="%4$s"%5$s>',
        esc_attr($name),
        esc_attr($type),
        esc_attr($value),
        esc_attr($placeholder),
        $more
    );
}

/** Shows only the end of a stored secret. */
function show_secret(string $name, string $kept): string
{
    $placeholder = $kept === '' ? '' : '••••••••' . substr($kept, -4) . ' (empty: stays)';
    return show_input($name, 'password', '', $placeholder, ' autocomplete="new-password"');
}

function show_choice(string $name, array $choices, $chosen): string
{
    $options = '';
    foreach ($choices as $value => $label) {
        $options .= sprintf('<option value="%s"%s>%s</option>', esc_attr((string) $value), selected((string) $value, (string) $chosen, false), esc_html($label));
    }
    return sprintf('<select id="%1$s" name="%1$s">%2$s</select>', esc_attr($name), $options);
}
