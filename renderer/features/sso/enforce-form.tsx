import { List, ScrollArea, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { SsoProvider } from '../../../shared/api/sso-providers.ts'
import { changeProvider, type Readiness, readinessQuery } from '../../data/sso-providers.ts'
import { plural } from '../../lib/format.ts'
import { notifyDone } from '../../lib/notify.ts'
import { useMe } from '../../lib/session.ts'
import { ConfirmForm } from '../../ui/confirm-form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'

interface Props {
  provider: SsoProvider
  onClose: () => void
}

/** Turns passwords off, after showing who could still sign in, and how to get back in. */
export function EnforceForm({ provider, onClose }: Props) {
  const readiness = useQuery(readinessQuery(provider.id))
  return (
    <Loaded of={readiness} lines={4}>
      {(found) => <Form provider={provider} readiness={found} onClose={onClose} />}
    </Loaded>
  )
}

function Form({ provider, readiness, onClose }: Props & { readiness: Readiness }) {
  const { id, name, status, orgId } = provider
  const { mutationFn, onSuccess } = changeProvider(id)
  const enforce = useMutation({
    mutationFn,
    onSuccess: async (saved) => {
      onClose()
      notifyDone(status === 'active' ? 'Passwords are off' : `Passwords will be off while ${name} is on`)
      await onSuccess(saved)
    },
  })
  return (
    <ConfirmForm
      consequences={`${status === 'active' ? 'From now on,' : `Once ${name} is turned on,`} ${whose(orgId)} can sign in with ${name} only. Current sessions continue. API keys and devices aren’t affected.`}
      confirm="Turn passwords off"
      typedName={name}
      isPending={enforce.isPending}
      error={enforce.error}
      onConfirm={() => enforce.mutate({ enforceSSO: true })}
      onCancel={onClose}
    >
      <ReadyPeople readiness={readiness} name={name} />
      <RecoveryHint orgId={orgId} breakGlass={readiness.breakGlass} />
    </ConfirmForm>
  )
}

const whose = (orgId: string | null) =>
  orgId ? 'the people of this organization' : 'the people of the company itself, not those of its organizations,'

function ReadyPeople({ readiness: { members, signedIn, others }, name }: { readiness: Readiness; name: string }) {
  const me = useMe()
  if (members === 0) return null
  if (signedIn === members)
    return (
      <Notice tone="good">
        <Text size="sm">
          All {plural(members, 'person', 'people')} it is for have signed in with {name} before.
        </Text>
      </Notice>
    )
  const rest = members - signedIn - others.length
  return (
    <Notice
      tone={signedIn === 0 ? 'bad' : 'warn'}
      title={
        signedIn === 0
          ? `Nobody has ever signed in with ${name}`
          : `${signedIn} of ${plural(members, 'person', 'people')} have signed in with ${name} before`
      }
    >
      <Text size="sm">
        {others.some(({ id }) => id === me.id) && <b>Including you. </b>}
        {signedIn === 0 ? 'People' : 'The others'} might be locked out if {name} doesn’t have the same email address for
        them.
      </Text>
      <Others others={others} rest={rest} />
    </Notice>
  )
}

/** Names, as far as the user may see people. */
function Others({ others, rest }: { others: Readiness['others']; rest: number }) {
  if (others.length === 0) return null
  return (
    <ScrollArea.Autosize
      mah={160}
      mt={4}
      type="auto"
      viewportProps={{ tabIndex: 0, role: 'group', 'aria-label': 'People who might be locked out' }}
    >
      <List size="sm" style={{ overflowWrap: 'anywhere' }}>
        {others.map(({ id, name, email }) => (
          <List.Item key={id}>
            {name}, {email}
          </List.Item>
        ))}
        {rest > 0 && <List.Item>and {rest} more</List.Item>}
      </List>
    </ScrollArea.Autosize>
  )
}

const recoveryHint = 'If the identity provider is unavailable'

/** Only users of the partner keep their passwords; a password for others would not help. */
function RecoveryHint({ orgId, breakGlass }: { orgId: string | null; breakGlass: number }) {
  const operators = plural(breakGlass, 'operator account')
  const keepTheirs = `${operators} of this appliance ${breakGlass === 1 ? 'keeps its password' : 'keep their passwords'} in any case and can turn passwords back on.`
  if (orgId)
    return (
      <Notice tone="busy" title={recoveryHint}>
        <Text size="sm">
          People of the company that manages this organization sign in as before and can turn passwords back on, unless
          theirs are off, too. {breakGlass > 0 && keepTheirs}
        </Text>
      </Notice>
    )
  return (
    <Notice tone={breakGlass > 0 ? 'busy' : 'bad'} title={recoveryHint}>
      <Text size="sm">
        {breakGlass > 0
          ? `${keepTheirs} Anyone with a shell on the appliance can create another one:`
          : 'Nobody would be left who can sign in with a password. Only an operator account, above all companies, keeps its password in any case, and this appliance has none. Create one first, in a shell on the appliance:'}
      </Text>
      <Text size="xs" className="mono" my={4} style={{ overflowWrap: 'anywhere' }}>
        npm run admin -- create-operator
      </Text>
      <Text size="sm">
        Giving someone in the company a new password (reset-password) doesn’t help: passwords don’t work while this is
        on.
      </Text>
    </Notice>
  )
}
