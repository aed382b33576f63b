import { Stack, Text } from '@mantine/core'
import type { AuditChainView, AuditEventView } from '../../../shared/api/audit-log.ts'
import { ApiKeyLink } from '../../domain/api-keys/api-key-link.tsx'
import { seesPeople } from '../../domain/people/people-permissions.ts'
import { exactTime, relativeTime } from '../../lib/format.ts'
import { useNow } from '../../lib/now.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { describeUserAgent } from '../../lib/user-agent.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { TextLink } from '../../ui/links.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StatusDot, type Tone } from '../../ui/status-dot.tsx'
import { resourceName } from './action-labels.ts'
import { EventResult } from './event-result.tsx'
import { useChainOf, useFaultOf } from './use-chain.ts'
import { usePartnerName } from './use-partner-name.ts'

const kinds: Record<AuditEventView['user']['role'], string> = {
  user: 'Person',
  api_key: 'API key',
  agent: 'Device agent',
  system: 'Homeport',
}

export function EventFacts({ event }: { event: AuditEventView }) {
  const { timestamp, user, resource, orgId, orgName, partnerId, ipAddress, userAgent } = event
  const partner = usePartnerName(partnerId)
  return (
    <Facts>
      <Fact name="When">
        {exactTime(timestamp)} ({relativeTime(timestamp, useNow())})
      </Fact>
      <Fact name="Who">
        <ObjectLink type={user.role === 'agent' ? 'device' : user.role} id={user.id} name={user.name} />
        <SecondaryText>
          {[user.email !== user.name && user.email, kinds[user.role]].filter(Boolean).join(' · ')}
        </SecondaryText>
      </Fact>
      {(ipAddress || userAgent) && (
        <Fact name="From">
          {ipAddress && <span className="mono">{ipAddress}</span>}
          {userAgent && <SecondaryText>{describeUserAgent(userAgent) ?? userAgent}</SecondaryText>}
        </Fact>
      )}
      <Fact name="Target">
        <ObjectLink type={resource.type} id={resource.id} name={resource.name || resourceName(resource.type)} />
        {resource.name && <SecondaryText>{resourceName(resource.type)}</SecondaryText>}
      </Fact>
      <Fact name="Belongs to">
        {orgId && orgName ? (
          <ObjectLink type="organization" id={orgId} name={orgName} />
        ) : orgId ? (
          'Deleted organization'
        ) : (
          partner
        )}
      </Fact>
      <Fact name="Result">
        <EventResult result={event.result} />
      </Fact>
      <Fact name="Integrity">
        <InChain event={event} />
      </Fact>
    </Facts>
  )
}

function SecondaryText({ children }: { children: string }) {
  return (
    <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
      {children}
    </Text>
  )
}

/** Links to the object if it has a page that the user may open. */
function ObjectLink({ type, id, name }: { type: string; id: string; name: string }) {
  const me = useMe()
  const look = { inherit: true, style: { overflowWrap: 'anywhere' } } as const
  if (id && type === 'user' && me.scope !== 'system' && seesPeople(me))
    return (
      <TextLink {...look} to="/settings/people/$personId" params={{ personId: id }}>
        {name}
      </TextLink>
    )
  if (id && type === 'device' && can(me, 'devices:read'))
    return (
      <TextLink {...look} to="/devices/$deviceId" params={{ deviceId: id }}>
        {name}
      </TextLink>
    )
  if (id && type === 'organization' && can(me, 'organizations:read'))
    return (
      <TextLink {...look} to="/organizations/$orgId" params={{ orgId: id }}>
        {name}
      </TextLink>
    )
  if (id && type === 'api_key') return <ApiKeyLink id={id} name={name} />
  return name
}

/** What the chain says about one event. */
function InChain({ event }: { event: AuditEventView }) {
  const chain = useChainOf(event)
  const fault = useFaultOf(event)
  return (
    <Stack gap={2} align="flex-start">
      {chain && <Verdict {...chainVerdict(event, chain, fault !== null)} />}
      {chain?.checkedAt && (
        <Text size="xs" c="dimmed">
          Its chain was checked <RelativeTime at={chain.checkedAt} />
        </Text>
      )}
      <TextLink from="/audit" to="/audit" search={(old) => ({ ...old, tab: 'chains', event: undefined })} size="xs">
        How the log is checked
      </TextLink>
    </Stack>
  )
}

interface ChainVerdict {
  tone: Tone
  text: string
}

function chainVerdict(
  { timestamp }: AuditEventView,
  { checkedAt, fault }: AuditChainView,
  isMisfit: boolean,
): ChainVerdict {
  if (isMisfit) return { tone: 'bad', text: 'Changed or not written by Homeport' }
  if (fault) return { tone: 'warn', text: 'In doubt: its chain is broken' }
  if (checkedAt && checkedAt > timestamp) return { tone: 'good', text: 'Intact' }
  return { tone: 'idle', text: 'Not checked since it was written' }
}

const Verdict = ({ tone, text }: ChainVerdict) => (
  <StatusDot tone={tone} isLong>
    {text}
  </StatusDot>
)
