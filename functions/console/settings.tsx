/** What a site is called, where its content lives, what it may use, and who may train on it. */
import { Hono } from 'hono'
import { plans } from '../../src/db/schema.ts'
import { PLAN_QUOTAS } from '../../src/quota.ts'
import { SiteInput, type SiteRow, updateSite } from '../../src/sites.ts'
import type { Env, Http } from '../http/env.ts'
import { type Errors, readForm, submit, type Values } from './form.ts'
import { sitePage } from './layout.tsx'
import { Done } from './parts/done.tsx'
import { CheckField, SelectField, TextField } from './parts/field.tsx'
import { PageHeading, Section } from './parts/heading.tsx'
import { Refusal } from './parts/notice.tsx'
import { pathIn } from './site.ts'
import { planName } from './sites.tsx'

export const settings = new Hono<Env>()

settings.get('/settings', (c) => settingsPage(c, valuesOf(c.get('site')), {}))

settings.post('/settings', async (c) => {
  const values = await readForm(c)
  const outcome = await submit(SiteInput, meaningOf(values), (input) =>
    updateSite(c.get('ctx'), c.get('site').id, input),
  )
  if (outcome.errors) return settingsPage(c, values, outcome.errors)
  return c.redirect(pathIn(c, '/settings?saved=1'), 303)
})

function valuesOf(site: SiteRow): Values {
  return {
    name: site.name,
    domain: site.domain,
    defaultLanguage: site.defaultLanguage,
    postPath: site.postPath,
    guidePath: site.guidePath,
    plan: site.plan,
    dailyQuota: site.dailyQuota === null ? '' : String(site.dailyQuota),
    trainingOptIn: site.trainingOptIn ? 'on' : '',
  }
}

function meaningOf(values: Values) {
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
  }
}

function settingsPage(c: Http, values: Values, errors: Errors) {
  const refused = Object.keys(errors).length > 0
  const field = (name: string) => ({ name, value: values[name], error: errors[name] })
  return sitePage(
    c,
    { tab: 'Settings', status: refused ? 400 : 200 },
    <>
      <PageHeading title="Settings" />
      {c.req.query('saved') && !refused && <Done c={c}>The settings are saved.</Done>}
      <Refusal errors={errors} />
      <form method="post" action={pathIn(c, '/settings')} class="fields">
        <Section id="site" title="Site">
          <TextField label="Name" {...field('name')} required />
          <TextField
            label="Domain"
            {...field('domain')}
            hint="Without https:// and without a path."
            required
          />
          <TextField
            label="Default language"
            {...field('defaultLanguage')}
            hint="Of posts that name none: a code such as en or pt-BR."
            required
          />
        </Section>
        <Section
          id="paths"
          title="Paths"
          lead="Where the site shows its content; {slug} stands for the slug."
        >
          <TextField label="Post path" {...field('postPath')} required />
          <TextField label="Guide path" {...field('guidePath')} required />
        </Section>
        <Section id="limits" title="Plan and quota">
          <SelectField label="Plan" {...field('plan')} options={planOptions()} />
          <TextField
            label="Own daily quota"
            {...field('dailyQuota')}
            hint="Requests a day instead of the plan's. Empty means the plan's."
          />
        </Section>
        <Section id="training" title="Training">
          <CheckField
            label="Allow the training export"
            name="trainingOptIn"
            checked={values.trainingOptIn === 'on'}
            error={errors.trainingOptIn}
            hint="Whoever has a full key of this site may then download its opted-in prompts and completions, to train models on them. Off, the export is refused."
          />
        </Section>
        <div class="actions">
          <button type="submit" class="button primary">
            Save settings
          </button>
        </div>
      </form>
    </>,
  )
}

// Words of a language are loaded at their first use, which had better not be the Worker's start.
const planOptions = () =>
  plans.map((plan) => ({
    value: plan,
    text: `${planName(plan)}: ${PLAN_QUOTAS[plan].toLocaleString('en')} requests a day`,
  }))
