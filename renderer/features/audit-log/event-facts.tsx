import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { AuditEventView } from '../../../shared/api/audit-log.ts'
import { exactTime } from '../../lib/format.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { browserWords } from '../../lib/user-agent.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { TextLink } from '../../ui/links.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { organizationQuery } from '../organizations/data.ts'
import { seesPeople } from '../shell/pages.ts'
import { resourceWord } from './action-words.ts'
import { ChainState } from './chain-state.tsx'
import { chainsQuery } from './chains-data.ts'
import { EventResult } from './event-result.tsx'

const kinds: Record<AuditEventView['user']['role'], string> = {
  user: 'A person',
  api_key: 'An API key, used by another program',
  agent: 'The agent on a device',
  system: 'Homeport by itself',
}

export function EventFacts({ event }: { event: AuditEventView }) {
  const { timestamp, user, resource, orgId, ipAddress, userAgent } = event
  const { scope, partnerName } = useMe()
  return (
    <Facts>
      <Fact name="When">
        {exactTime(timestamp)} (<RelativeTime at={timestamp} />)
      </Fact>
      <Fact name="Who">
        <Thing type={user.role === 'agent' ? 'device' : user.role} id={user.id} name={user.name} />
        <Sub>{[user.email !== user.name && user.email, kinds[user.role]].filter(Boolean).join(' · ')}</Sub>
      </Fact>
      <Fact name="From">
        {ipAddress && <span className="mono">{ipAddress}</span>}
        {userAgent && <Sub>{browserWords(userAgent) ?? userAgent}</Sub>}
      </Fact>
      <Fact name="On what">
        <Thing type={resource.type} id={resource.id} name={resource.name || resourceWord(resource.type)} />
        {resource.name && <Sub>{resourceWord(resource.type)}</Sub>}
      </Fact>
      <Fact name="Belongs to">
        {orgId ? <OrganizationName id={orgId} /> : scope === 'partner' ? partnerName : 'No single organization'}
      </Fact>
      <Fact name="Result">
        <EventResult result={event.result} />
      </Fact>
      <Fact name="Is it genuine?">
        <InChain event={event} />
      </Fact>
    </Facts>
  )
}

function Sub({ children }: { children: string }) {
  return (
    <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
      {children}
    </Text>
  )
}

/** Leads to what is meant, where it has a page that is open to who reads this. */
function Thing({ type, id, name }: { type: string; id: string; name: string }) {
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
  return name
}

function OrganizationName({ id }: { id: string }) {
  const organization = useQuery({ ...organizationQuery(id), enabled: can(useMe(), 'organizations:read') }).data
  return organization ? <Thing type="organization" id={id} name={organization.name} /> : 'An organization'
}

/** Each organization has a chain of events, and so has the company; of many companies one can not tell which is meant. */
function InChain({ event }: { event: AuditEventView }) {
  const { scope } = useMe()
  const isClear = event.orgId !== null || scope !== 'system'
  const chain = useQuery(chainsQuery()).data?.data.find(({ orgId }) => isClear && orgId === event.orgId)
  const isCovered = chain?.checkedAt && chain.checkedAt > event.timestamp
  return (
    <Stack gap={2} align="flex-start">
      {chain &&
        (isCovered || chain.fault ? (
          <ChainState chain={chain} />
        ) : (
          <StatusDot tone="idle">Not checked since it was written</StatusDot>
        ))}
      {chain?.fault && chain.fault.eventId === event.id && <Sub>This is the event that does not fit.</Sub>}
      {chain?.checkedAt && (
        <Text size="xs" c="dimmed">
          The chain of events it is part of was checked <RelativeTime at={chain.checkedAt} />
        </Text>
      )}
      <TextLink from="/audit" to="/audit" search={{ tab: 'chains' }} size="xs">
        How the log is checked
      </TextLink>
    </Stack>
  )
}
