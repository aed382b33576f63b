import { SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Organization } from '../../../shared/api/organizations.ts'
import { deviceStatsQuery } from '../../data/devices.ts'
import { sitesPageQuery } from '../../data/sites.ts'
import { DeviceStatusDot } from '../../domain/devices/device-status.tsx'
import { statusesToShow } from '../../domain/devices/device-status-names.ts'
import { OrganizationStatus, statusMeaning } from '../../domain/organizations/organization-status.tsx'
import { OrganizationTabLink } from '../../domain/organizations/organization-tab-link.tsx'
import { calendarDay, count, plural } from '../../lib/format.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { TextLink } from '../../ui/links.tsx'
import { Listed, Loaded } from '../../ui/loaded.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { DeviceLimit } from './device-limit.tsx'

interface Props {
  organization: Organization
  /** A panel below those of devices and sites. */
  contacts: ReactNode
  /** Panels of the full width. */
  keys: ReactNode
}

export function OverviewTab({ organization, contacts, keys }: Props) {
  const me = useMe()
  if (organization.status === 'archived') return <StatusPanel organization={organization} />
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, md: 2 }} style={{ alignItems: 'start' }}>
        <StatusPanel organization={organization} />
        <Stack miw={0}>
          {can(me, 'devices:read') && <Devices organization={organization} />}
          {can(me, 'sites:read') && <Sites orgId={organization.id} />}
          {contacts}
        </Stack>
      </SimpleGrid>
      {keys}
    </Stack>
  )
}

function StatusPanel({ organization }: { organization: Organization }) {
  return (
    <Panel title="Status">
      <Stack gap="sm">
        <div>
          <OrganizationStatus status={organization.status} />
          {/* Every other status has a notice above the page. */}
          {(organization.status === 'active' || organization.status === 'trial') && (
            <Text size="sm" c="dimmed" mt={4}>
              {statusMeaning(organization)}
            </Text>
          )}
        </div>
        <Facts>
          <Fact name="Type">{organization.type === 'internal' ? 'Internal' : 'Customer'}</Fact>
          <Fact name="Contract">{contractText(organization)}</Fact>
          <Fact name="Short name">{organization.slug}</Fact>
          <Fact name="Created">
            <RelativeTime at={organization.createdAt} />
          </Fact>
        </Facts>
      </Stack>
    </Panel>
  )
}

function Devices({ organization: { id, maxDevices } }: { organization: Organization }) {
  const stats = useQuery(deviceStatsQuery(id))
  return (
    <Panel title="Devices" actions={<OrganizationTabLink tab="devices">All devices</OrganizationTabLink>}>
      <Loaded of={stats} lines={2}>
        {({ data: { total, byStatus } }) => (
          <Facts>
            {statusesToShow(byStatus).map((status) => (
              <Fact key={status} name={<DeviceStatusDot status={status} />}>
                <TextLink from="/organizations/$orgId" to="." search={{ tab: 'devices', status }} size="sm">
                  {count(byStatus[status] ?? 0)}
                </TextLink>
              </Fact>
            ))}
            <Fact name="Limit">
              <DeviceLimit used={total} limit={maxDevices} />
            </Fact>
          </Facts>
        )}
      </Loaded>
    </Panel>
  )
}

function Sites({ orgId }: { orgId: string }) {
  const sites = useQuery(sitesPageQuery(orgId, 1, 5))
  return (
    <Panel title="Sites" actions={<OrganizationTabLink tab="sites">All sites</OrganizationTabLink>}>
      <Listed of={sites} lines={2} empty="No sites yet. Every device belongs to a site.">
        {({ data, pagination }) => (
          <Facts>
            {data.map(({ id, name, deviceCount }) => (
              <Fact key={id} name={name}>
                {plural(deviceCount, 'device')}
              </Fact>
            ))}
            {pagination.total > data.length && (
              <Fact name="More">{plural(pagination.total - data.length, 'site')}</Fact>
            )}
          </Facts>
        )}
      </Listed>
    </Panel>
  )
}

function contractText({ contractStart, contractEnd }: Organization): string | null {
  if (contractStart && contractEnd) return `${calendarDay(contractStart)} – ${calendarDay(contractEnd)}`
  if (contractStart) return `From ${calendarDay(contractStart)}`
  return contractEnd ? `Until ${calendarDay(contractEnd)}` : null
}
