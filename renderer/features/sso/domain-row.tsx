import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { VerifiedDomain } from '../../../shared/api/sso-domains.ts'
import { removeDomain, verifyDomain } from '../../data/sso-providers.ts'
import { messageFor } from '../../lib/error-messages.ts'
import { notifyDone } from '../../lib/notify.ts'
import { askToConfirm } from '../../ui/confirm.tsx'
import { Copyable } from '../../ui/copyable.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import classes from './domain-row.module.css'

interface Props {
  domain: VerifiedDomain
  /** All domains of the organization: adding the first or removing the last changes who may sign in. */
  domains: readonly VerifiedDomain[]
  isEditable: boolean
}

export function DomainRow({ domain, domains, isEditable }: Props) {
  const { id, domain: name, verified, verifiedAt } = domain
  const check = useMutation({
    ...verifyDomain,
    onSuccess: ({ data }) => {
      if (data.verified) notifyDone(`${name} is verified`)
    },
  })
  const remove = useMutation(removeDomain)
  const askRemoval = () => confirmRemoval(domain, domains, () => remove.mutateAsync(id))
  return (
    <li className={classes.row}>
      <Group justify="space-between" gap="sm" align="flex-start">
        <Stack gap={0} miw={0}>
          <Text fw={500} size="sm" style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
          <Text size="xs" c="dimmed" component="div">
            {verified ? (
              <>
                Verified <RelativeTime at={verifiedAt} />
              </>
            ) : (
              <>
                Last checked <RelativeTime at={domain.lastCheckedAt} never="never" />
              </>
            )}
          </Text>
        </Stack>
        <Group gap="xs">
          <Text size="sm" component="div">
            <StatusDot tone={verified ? 'good' : 'idle'}>{verified ? 'Verified' : 'Not verified yet'}</StatusDot>
          </Text>
          {isEditable && (
            <Button size="compact-xs" variant="subtle" color="red" loading={remove.isPending} onClick={askRemoval}>
              Remove…
            </Button>
          )}
        </Group>
      </Group>
      {!verified && <Record domain={domain} />}
      {!verified && isEditable && (
        <Group gap="sm" mt="xs">
          <Button size="xs" variant="default" loading={check.isPending} onClick={() => check.mutate(id)}>
            Check now
          </Button>
          <Text size="xs" c="dimmed">
            Homeport also checks once a day.
          </Text>
        </Group>
      )}
      {!verified && !check.isPending && <Outcome error={check.error} reason={check.data?.data.reason} />}
    </li>
  )
}

/** DNS tools have separate fields for name and value. */
function Record({ domain: { recordName, recordValue } }: { domain: VerifiedDomain }) {
  return (
    <>
      <Text size="sm" mt="xs">
        Add this record to the domain’s DNS:
      </Text>
      <Facts>
        <Fact name="Type">TXT</Fact>
        <Fact name="Name">
          <Copyable text={recordName} label="Copy name" />
        </Fact>
        <Fact name="Value">
          <Copyable text={recordValue} label="Copy value" />
        </Fact>
      </Facts>
    </>
  )
}

type Reason = 'txt_not_found' | 'not_found' | undefined

function Outcome({ error, reason }: { error: Error | null; reason: Reason }) {
  if (!error && !reason) return null
  return (
    <Alert variant="light" color={error ? 'red' : 'yellow'} role={error ? 'alert' : 'status'} p="sm" mt="xs">
      <Text size="sm">{error ? messageFor(error) : reasons[reason as keyof typeof reasons]}</Text>
    </Alert>
  )
}

const reasons = {
  txt_not_found:
    'The record isn’t there yet. DNS can take an hour, sometimes longer. Check the name, too: some providers append the domain automatically.',
  not_found: 'The domain is no longer on the list.',
}

function confirmRemoval(
  { domain: name, verified }: VerifiedDomain,
  all: readonly VerifiedDomain[],
  run: () => Promise<unknown>,
): Promise<boolean> {
  const isLast = verified && all.filter((one) => one.verified).length === 1
  return askToConfirm({
    title: `Remove ${name}?`,
    consequences: verified
      ? [
          `Addresses at ${name} are no longer sent to your identity provider. People who have signed in before still can.`,
          isLast
            ? 'This is the last verified domain: from now on, people with any domain can sign in for the first time if the identity provider says it verified their address.'
            : `New people at ${name} can no longer sign in.`,
        ]
      : 'It was never verified, so nothing changes for anyone.',
    confirm: 'Remove',
    isHarmless: !verified,
    run,
    failed: `${name} wasn’t removed`,
  })
}
