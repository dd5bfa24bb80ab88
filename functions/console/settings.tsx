import { countOutdatedBundles } from '../../src/content/posts/schema-bundles.ts'
import { getSiteRow, SiteInput, type SiteRow, updateSite } from '../../src/sites/sites.ts'
import { createApp } from '../http/create-app.ts'
import type { Http } from '../http/env.ts'
import { Done, redirectDone } from './actions/done.tsx'
import { conflictPage } from './forms/conflict.tsx'
import { type Errors, fieldsOf, readForm, submitFields } from './forms/form.ts'
import { changedOnly, saveMerged, type Values } from './forms/three-way-merge.ts'
import { DocsLink } from './parts/docs-link.tsx'
import { CheckField, SelectField, TextField } from './parts/fields/field.tsx'
import { Form, OriginalValues } from './parts/fields/form.tsx'
import { PageHeading, Section } from './parts/heading.tsx'
import { ErrorSummary } from './parts/notice.tsx'
import { RequireRole } from './parts/require-role.tsx'
import { SiteLink } from './parts/site-link.tsx'
import { useRequestContext } from './request-context.ts'
import { OutdatedBundlesSection, RebuildDone } from './schema-bundles.tsx'
import { DeletionSection } from './site-deletion.tsx'
import { SitemapSection } from './sitemap.tsx'
import { TransferSection } from './transfer/transfer.tsx'
import { planOptions } from './usage/plans.ts'

export const settings = createApp()

settings.get('/settings', (c) => settingsPage(c, toValues(c.get('site')), {}))

settings.post('/settings', async (c) => {
  const values = await readForm(c)
  const site = c.get('site')
  const { errors, conflicts } = await saveMerged({
    values,
    known: site,
    read: () => getSiteRow(c.get('ctx'), site.id),
    toValues,
    write: (current) =>
      submitFields(SiteInput, changedOnly(values, toInput(values)), (input) =>
        updateSite(c.get('ctx'), site.id, input, current),
      ),
  })
  if (conflicts) {
    const choice = { conflicts, values, cancel: '/settings', textOf: optionText }
    return conflictPage(c, { tab: 'Settings' }, choice)
  }
  if (!errors) return redirectDone(c, '/settings', 'settings', 'saved')
  c.status(400)
  return settingsPage(c, values, errors)
})

function toValues(site: SiteRow): Values {
  return {
    name: site.name,
    domain: site.domain,
    defaultLanguage: site.defaultLanguage,
    postPath: site.postPath,
    guidePath: site.guidePath,
    plan: site.plan,
    dailyQuota: site.dailyQuota === null ? '' : String(site.dailyQuota),
    trainingOptIn: site.trainingOptIn ? 'on' : '',
    feedContent: site.feedContent,
    previewUrl: site.previewUrl ?? '',
  }
}

function toInput(values: Values) {
  const quota = values.dailyQuota?.trim() ?? ''
  return {
    name: values.name || undefined,
    domain: values.domain || undefined,
    defaultLanguage: values.defaultLanguage,
    postPath: values.postPath,
    guidePath: values.guidePath,
    plan: values.plan,
    dailyQuota: quota === '' ? null : /^-?\d{1,15}$/.test(quota) ? Number(quota) : quota,
    trainingOptIn: values.trainingOptIn === 'on',
    feedContent: values.feedContent,
    previewUrl: values.previewUrl?.trim() || null,
  }
}

const FEED_CONTENTS = [
  { value: 'excerpt', text: 'Excerpt of each post' },
  { value: 'full', text: 'Full text of each post' },
]

function optionText(name: string, value: string) {
  const options = { plan: planOptions(), feedContent: FEED_CONTENTS }[name]
  return options?.find((option) => option.value === value)?.text
}

const SECTIONS = [
  ['general', 'General'],
  ['urls', 'URLs'],
  ['feeds', 'Feeds and drafts'],
  ['limits', 'Quota'],
  ['training', 'Training'],
  ['sitemap', 'Sitemap'],
  ['transfer', 'Import and export'],
  ['alerts', 'Alerts'],
] as const

function OnThisPage() {
  return (
    <nav class="on-this-page" aria-label="On this page">
      <ul>
        {SECTIONS.map(([id, name]) => (
          <li>
            <a href={`#${id}`}>{name}</a>
          </li>
        ))}
        <RequireRole needs="admin">
          <li>
            <a href="#deletion">Delete</a>
          </li>
        </RequireRole>
      </ul>
    </nav>
  )
}

/** Alerts are configured for the deployment, not for a site. */
function AlertsSection() {
  const { config } = useRequestContext().get('ctx')
  return (
    <Section
      id="alerts"
      title="Alerts"
      lead="The operator of the service gets an alert when a webhook keeps failing or a quota is nearly used up."
    >
      {config.hasAlerts ? (
        <p>
          Alerts are on. <SiteLink to="/integrations#alerts">View recent alerts and recipients</SiteLink>
        </p>
      ) : (
        <p>
          Alerts are off: this deployment has no target for them. The{' '}
          <SiteLink to="/overview">overview</SiteLink> shows failures.
        </p>
      )}
    </Section>
  )
}

async function settingsPage(c: Http, values: Values, errors: Errors) {
  const outdated = await countOutdatedBundles(c.get('ctx'), c.get('site'))
  const field = fieldsOf(values, errors)
  return c.render(
    <>
      <PageHeading title="Settings" />
      <OnThisPage />
      <Done of="settings" />
      <RebuildDone />
      <ErrorSummary errors={errors} />
      <OutdatedBundlesSection outdated={outdated} />
      <Form needs="admin" action="/settings" submit="Save settings">
        <OriginalValues values={values} />
        <Section id="general" title="General">
          <TextField label="Name" {...field('name')} required />
          <TextField label="Domain" {...field('domain')} hint="Without https:// or a path." required />
          <TextField
            label="Default language"
            {...field('defaultLanguage')}
            hint="Used for posts without a language. A code such as en or pt-BR."
            required
          />
        </Section>
        <Section
          id="urls"
          title="URLs"
          lead={
            <>
              Where the site shows its content. {'{slug}'} stands for the slug.{' '}
              <DocsLink to="sitemap">Where these URLs appear</DocsLink>
            </>
          }
        >
          <TextField label="Post path" {...field('postPath')} required />
          <TextField label="Guide path" {...field('guidePath')} required />
        </Section>
        <Section id="feeds" title="Feeds and drafts">
          <SelectField
            label="Feeds"
            {...field('feedContent')}
            options={FEED_CONTENTS}
            hint="Feeds are published with the sitemap."
          />
          <TextField
            label="Preview URL"
            type="url"
            {...field('previewUrl')}
            hint={
              <>
                Preview links open this URL with a token that reads the draft. Leave empty to use the built-in
                preview. <DocsLink to="previews">How to build a preview</DocsLink>
              </>
            }
          />
        </Section>
        <Section id="limits" title="Plan and quota">
          <SelectField label="Plan" {...field('plan')} options={planOptions()} />
          <TextField
            label="Custom daily quota"
            {...field('dailyQuota')}
            hint={
              <>
                Requests per day. Leave empty for the plan's quota.{' '}
                <DocsLink to="keys#quotas">Which requests count</DocsLink>
              </>
            }
          />
        </Section>
        <Section id="training" title="Training">
          <CheckField
            label="Allow the training export"
            name="trainingOptIn"
            checked={values.trainingOptIn === 'on'}
            error={errors.trainingOptIn}
            hint={
              <>
                Lets anyone with a full key for this site download its opted-in prompts and completions to
                train models. When off, the export is refused.{' '}
                <DocsLink to="training">How to export</DocsLink>
              </>
            }
          />
        </Section>
      </Form>
      <SitemapSection />
      <TransferSection />
      <AlertsSection />
      <RequireRole needs="admin">
        <DeletionSection />
      </RequireRole>
    </>,
    { tab: 'Settings' },
  )
}
