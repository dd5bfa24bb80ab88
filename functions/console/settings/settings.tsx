import { countOutdatedBundles } from '../../../src/content/posts/schema-bundles.ts'
import { getSiteRow, SiteInput, type SiteRow, updateSite } from '../../../src/sites/sites.ts'
import { createApp, type Http } from '../../http/env.ts'
import { Done, redirectDone } from '../actions/done.tsx'
import { conflictPage } from '../forms/conflict.tsx'
import { type Errors, fieldsOf, readForm, submitFields, type Values } from '../forms/form.ts'
import { changedOnly, saveMerged } from '../forms/three-way-merge.ts'
import { TABS } from '../menu.ts'
import { CheckField, SelectField, TextField } from '../parts/fields/field.tsx'
import { Form, OriginalValues } from '../parts/fields/form.tsx'
import { ErrorSummary, Section, TabbedHeading } from '../parts/page.tsx'
import { DocsLink } from '../parts/site-link.tsx'
import { readDomain } from '../sites.tsx'
import { planOptions } from '../usage/plans.ts'
import { OutdatedBundlesNotice, RebuildDone } from './schema-bundles.tsx'
import { DeletionSection } from './site-deletion.tsx'

export const settings = createApp()

/** Each form has its own fields, and saves only these. */
const FORMS = [
  {
    page: 'General',
    names: ['name', 'domain', 'defaultLanguage', 'plan', 'dailyQuota'],
    Fields: GeneralFields,
  },
  {
    page: 'Publishing',
    names: ['postPath', 'guidePath', 'feedContent', 'previewUrl', 'trainingOptIn'],
    Fields: PublishingFields,
  },
] as const

type SettingsForm = (typeof FORMS)[number]

for (const form of FORMS) {
  const path = TABS.Settings[form.page]
  const toValues = (site: SiteRow) => pick(allValues(site), form)
  settings.get(path, (c) => settingsPage(c, form, toValues(c.get('site')), {}))
  settings.post(path, async (c) => {
    const values = await readForm(c)
    const site = c.get('site')
    const { errors, conflicts } = await saveMerged({
      values,
      known: site,
      read: () => getSiteRow(c.get('ctx'), site.id),
      toValues,
      write: (current) =>
        submitFields(SiteInput, changedOnly(values, pick(toInput(values), form)), (input) =>
          updateSite(c.get('ctx'), site.id, input, current),
        ),
    })
    if (conflicts) {
      const logged = { action: 'site.updated', id: site.id } as const
      const choice = { conflicts, values, cancel: path, textOf: optionText, logged }
      return conflictPage(c, { tab: 'Settings' }, choice)
    }
    if (!errors) return redirectDone(c, path, 'settings', 'saved')
    c.status(400)
    return settingsPage(c, form, values, errors)
  })
}

function pick<Value>(all: Record<string, Value>, { names }: SettingsForm): Record<string, Value> {
  return Object.fromEntries(names.map((name) => [name, all[name] as Value]))
}

function allValues(site: SiteRow): Values {
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

function toInput(values: Values): Record<string, unknown> {
  const quota = values.dailyQuota?.trim() ?? ''
  return {
    name: values.name || undefined,
    domain: readDomain(values.domain),
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

const FEED_CONTENTS = { excerpt: 'Excerpt of each post', full: 'Full text of each post' }

function optionText(name: string, value: string) {
  const options = { plan: planOptions(), feedContent: Object.entries(FEED_CONTENTS) }[name]
  return options?.find(([option]) => option === value)?.[1]
}

async function settingsPage(c: Http, { page, Fields }: SettingsForm, values: Values, errors: Errors) {
  const outdated = await countOutdatedBundles(c.get('ctx'), c.get('site'))
  return c.render(
    <>
      <TabbedHeading title="Settings" current={page} />
      <Done of="settings" />
      <RebuildDone />
      <ErrorSummary errors={errors} />
      <OutdatedBundlesNotice outdated={outdated} />
      <Form needs="admin" action={TABS.Settings[page]} submit="Save settings">
        <OriginalValues values={values} />
        <Fields values={values} errors={errors} />
      </Form>
      {page === 'General' && <DeletionSection />}
    </>,
    { tab: 'Settings', title: `${page} settings`, isNarrow: true },
  )
}

type FieldsProps = { values: Values; errors: Errors }

function GeneralFields({ values, errors }: FieldsProps) {
  const field = fieldsOf(values, errors)
  return (
    <>
      <TextField label="Name" {...field('name')} required />
      <TextField label="Domain" {...field('domain')} hint="From a URL, we keep only the domain." required />
      <TextField
        label="Default language"
        {...field('defaultLanguage')}
        hint="Used for posts without a language. A code such as en or pt-BR."
        required
      />
      <Section id="quota" title="Quota">
        <SelectField label="Plan" {...field('plan')} options={planOptions()} />
        <TextField
          label="Custom daily quota"
          type="number"
          {...field('dailyQuota')}
          hint={
            <>
              Requests per day. Leave empty for the plan's quota.{' '}
              <DocsLink to="keys#quotas">Which requests count</DocsLink>
            </>
          }
        />
      </Section>
    </>
  )
}

function PublishingFields({ values, errors }: FieldsProps) {
  const field = fieldsOf(values, errors)
  return (
    <>
      <Section id="urls" title="URLs">
        <TextField label="Post path" {...field('postPath')} required />
        <TextField
          label="Guide path"
          {...field('guidePath')}
          hint={
            <>
              {'{slug}'} stands for the slug. <DocsLink to="sitemap">Where these URLs appear</DocsLink>
            </>
          }
          required
        />
      </Section>
      <Section id="feeds" title="Feeds and drafts">
        <SelectField
          label="Feeds"
          {...field('feedContent')}
          options={Object.entries(FEED_CONTENTS)}
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
      <Section id="training" title="Training">
        <CheckField
          label="Allow the training export"
          name="trainingOptIn"
          checked={values.trainingOptIn === 'on'}
          error={errors.trainingOptIn}
          hint={
            <>
              Lets anyone with a full key for this site download its opted-in prompts and completions to train
              models. When off, the export is refused. <DocsLink to="training">How to export</DocsLink>
            </>
          }
        />
      </Section>
    </>
  )
}
