import { listLatestAlerts } from '../../../src/alerts/alert.ts'
import { sendTestAlert } from '../../../src/alerts/send.ts'
import {
  type AlertSettings,
  type AlertSettingsInput,
  alertSettingsInput,
  getAlertSettings,
  updateAlertSettings,
} from '../../../src/alerts/settings.ts'
import type { Issue } from '../../../src/core/errors.ts'
import { canMail } from '../../../src/people/sign-in-links.ts'
import { createApp, type Http } from '../../http/env.ts'
import { Done, redirectDone } from '../actions/done.tsx'
import { conflictPage } from '../forms/conflict.tsx'
import { type Errors, fieldsOf, readForm, submitFields, type Values } from '../forms/form.ts'
import { changedOnly, isOriginal, saveMerged, serializeOriginal } from '../forms/three-way-merge.ts'
import { addQuery } from '../parent-list.ts'
import { Fact, Facts } from '../parts/facts.tsx'
import { TextField } from '../parts/fields/field.tsx'
import { Form, OriginalValues, PostButton } from '../parts/fields/form.tsx'
import { ErrorSummary, Notice, PageHeading, Section } from '../parts/page.tsx'
import { redirectInSite, useRequestContext } from '../site.ts'
import { AlertList } from './alert-list.tsx'
import { ALERT_SETTINGS, nameFailure, TARGETS, targetsOf } from './targets.ts'

const ALERTS_SHOWN = 10

export const alertSettings = createApp()

alertSettings.get('/', async (c) => {
  const settings = await getAlertSettings(c.get('ctx'))
  return settingsPage(c, settings, toValues(c, settings), {})
})

alertSettings.post('/', async (c) => {
  const ctx = c.get('ctx')
  const values = await readForm(c)
  const read = () => getAlertSettings(ctx)
  const known = await read()
  const slackUrl = values.slackUrl?.trim() || (values.removeSlack ? null : undefined)
  const changes = { ...changedOnly(values, toInput(values)), slackUrl }
  const { errors, conflicts } = await saveMerged({
    values,
    known,
    read,
    toValues: (settings) => toValues(c, settings),
    write: async (current) => {
      if (slackUrl !== undefined && !isOriginal(values, 'slackSetAt', slackSetAtOf(current)))
        return { errors: { slackUrl: 'was changed by someone else: open Alerts again to see it' } }
      const save = (input: AlertSettingsInput) => updateAlertSettings(ctx, input, current)
      return submitFields(alertSettingsInput(ctx), changes, save, { placeOf: withoutIndex })
    },
  })
  if (conflicts) {
    return conflictPage(c, { workspace: 'Alerts' }, { conflicts, values, cancel: ALERT_SETTINGS })
  }
  if (!errors) return redirectDone(c, ALERT_SETTINGS, 'alerts', 'saved')
  c.status(400)
  return settingsPage(c, known, values, errors)
})

alertSettings.post('/tests', async (c) => {
  const sent = await sendTestAlert(c.get('ctx'))
  const refused = sent.filter(({ error }) => error !== null)
  const done = sent.length > refused.length ? 'tested' : null
  const wrong = refused.every(({ target }) => target === 'slack') ? 'Slack URL' : 'targets'
  const failures = refused.length > 0 ? `${refused.map(nameFailure).join(', ')}. Check the ${wrong}.` : null
  const failed = sent.length === 0 ? 'Alerts have no target.' : failures
  return redirectInSite(c, addQuery(ALERT_SETTINGS, { done, refused: failed }))
})

/** One of the addresses is an issue of their field. */
const withoutIndex = ({ path, message }: Issue): Issue => ({ path: path.replace(/\[\d+\]$/, ''), message })

/** Without it, a form that was opened earlier would replace a URL that it does not show. */
const slackSetAtOf = ({ slackSetAt }: AlertSettings) => slackSetAt?.toISOString() ?? ''

/** The Slack URL is a secret that is never shown again. */
function toValues(c: Http, { emailTo, afterFailures }: AlertSettings): Values {
  return {
    slackUrl: '',
    emailTo: emailTo?.join(', ') ?? '',
    afterFailures: String(afterFailures ?? c.get('ctx').config.ALERT_AFTER_FAILURES),
  }
}

/** Without a mail service, the form has no addresses, which stay as they are. */
function toInput({ emailTo, afterFailures = '' }: Values) {
  const count = afterFailures.trim()
  const addresses = emailTo?.split(',').flatMap((address) => address.trim() || [])
  return {
    emailTo: addresses?.length === 0 ? null : addresses,
    afterFailures: count === '' ? null : /^-?\d{1,9}$/.test(count) ? Number(count) : count,
  }
}

async function settingsPage(c: Http, settings: AlertSettings, values: Values, errors: Errors) {
  const ctx = c.get('ctx')
  const { config } = ctx
  const latest = await listLatestAlerts(ctx, ALERTS_SHOWN)
  const field = fieldsOf(values, errors)
  const { slackHost } = settings
  const slackSetAt = slackSetAtOf(settings)
  const targets = targetsOf(ctx, settings)
  const isOn = targets.length > 0
  return c.render(
    <>
      <PageHeading
        title="Alerts"
        lead="Sent when a webhook of any site keeps failing or recovers, and when a quota reaches 80% or 100%."
      />
      <Done of="alerts" />
      <RefusedTargets />
      <ErrorSummary errors={errors} />
      {isOn ? (
        <Section
          id="targets"
          title="Sent to"
          action={<PostButton action={`${ALERT_SETTINGS}/tests`}>Send a test alert</PostButton>}
        >
          <Facts boxed>
            {targets.map(({ name, at }) => (
              <Fact label={name}>
                <span class="ends">
                  {at}
                  {name === TARGETS.slack && slackHost && (
                    <PostButton
                      class="button small"
                      action={ALERT_SETTINGS}
                      name="removeSlack"
                      value="on"
                      hidden={[['opened', serializeOriginal({ slackSetAt })]]}
                    >
                      Remove
                    </PostButton>
                  )}
                </span>
              </Fact>
            ))}
          </Facts>
        </Section>
      ) : (
        <Notice tone="info">Alerts are off. Add a target to turn them on.</Notice>
      )}
      {config.CONSOLE_URL ? (
        <Form needs="admin" action={ALERT_SETTINGS} submit="Save alerts">
          <OriginalValues values={{ ...values, slackSetAt }} />
          <TextField
            label={slackHost ? 'New Slack URL' : 'Slack'}
            type="url"
            {...field('slackUrl')}
            placeholder={`https://${slackHost ?? 'hooks.slack.com/services'}/…`}
            hint={`An incoming webhook of Slack, Mattermost or a service that accepts its messages.${config.ALERT_SLACK_URL ? ' If empty, the one in ALERT_SLACK_URL.' : ''}`}
          />
          {canMail(ctx) ? (
            <TextField
              label="Email"
              {...field('emailTo')}
              placeholder={config.ALERT_EMAIL_TO?.join(', ') ?? 'ada@example.com, ops@example.com'}
              hint="Addresses, separated by commas."
            />
          ) : (
            <p class="muted">
              Email is not set up. The operator of the service can set it up, as docs/alerts.md explains.
            </p>
          )}
          <TextField label="Failures in a row before an alert" type="number" {...field('afterFailures')} />
        </Form>
      ) : (
        <Notice tone="warning">
          Alerts link to the console. The operator of the service must set its address as CONSOLE_URL first.
        </Notice>
      )}
      {(latest.length > 0 || isOn) && (
        <Section id="latest" title="Latest alerts">
          <AlertList alerts={latest} />
        </Section>
      )}
    </>,
    { workspace: 'Alerts', isNarrow: true },
  )
}

function RefusedTargets() {
  const refused = useRequestContext().req.query('refused')
  return refused ? <Notice tone="danger">The test alert failed. {refused}</Notice> : null
}
