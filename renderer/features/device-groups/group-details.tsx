import { Group, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { IconStack2 } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { DeviceGroup } from '../../../shared/api/device-groups.ts'
import { filterConditions } from '../../../shared/device-filter.ts'
import { groupMembersQuery } from '../../data/device-groups.ts'
import { plural } from '../../lib/format.ts'
import { ButtonLink, TextLink } from '../../ui/links.tsx'
import { Listed } from '../../ui/loaded.tsx'
import { EmptyList } from '../../ui/states.tsx'
import { AddMembers } from './add-members.tsx'
import { GroupMenu } from './group-menu.tsx'
import { MemberTable } from './member-table.tsx'
import { MembershipHistory } from './membership-history.tsx'
import { ruleText } from './rule-labels.ts'
import type { NamedOption } from './value-field.tsx'

interface Props {
  group: DeviceGroup
  groups: readonly DeviceGroup[]
  sites: readonly NamedOption[]
  mayWrite: boolean
  onEdit: () => void
  onDeleted: () => void
}

/** A group with its rule and members. */
export function GroupDetails({ group, groups, sites, mayWrite, onEdit, onDeleted }: Props) {
  const { show = 'devices' } = useSearch({ from: '/app/organizations/$orgId' })
  const navigate = useNavigate({ from: '/organizations/$orgId' })
  const turnTo = (part: string) =>
    navigate({ search: { tab: 'groups', group: group.id, show: part === 'history' ? 'history' : undefined } })
  return (
    <Stack>
      <TextLink from="/organizations/$orgId" to="." search={{ tab: 'groups' }} size="sm">
        All groups
      </TextLink>
      <Group justify="space-between" gap="sm" align="flex-start">
        <div>
          <Title order={2} size="h4" style={{ overflowWrap: 'anywhere' }}>
            {group.name}
          </Title>
          <Text size="sm" c="dimmed">
            {aboutOf(group, groups, sites)}
          </Text>
        </div>
        <Group gap="xs">
          <ButtonLink
            variant="default"
            from="/organizations/$orgId"
            to="."
            search={{ tab: 'devices', group: group.id }}
          >
            Show in device list
          </ButtonLink>
          {mayWrite && <GroupMenu group={group} groups={groups} onEdit={onEdit} onDeleted={onDeleted} />}
        </Group>
      </Group>
      <div>
        <SegmentedControl
          size="xs"
          aria-label="Group view"
          value={show}
          onChange={turnTo}
          data={[
            { value: 'devices', label: 'Devices' },
            { value: 'history', label: 'History' },
          ]}
        />
      </div>
      {show === 'history' ? <MembershipHistory groupId={group.id} /> : <Members group={group} mayWrite={mayWrite} />}
    </Stack>
  )
}

function Members({ group, mayWrite }: Pick<Props, 'group' | 'mayWrite'>) {
  const members = useQuery(groupMembersQuery(group.id))
  return (
    <>
      {mayWrite && <AddMembers group={group} />}
      <Listed
        of={members}
        lines={3}
        empty={
          <EmptyList icon={<IconStack2 stroke={1.5} />} title="No devices in this group">
            {group.type === 'dynamic' ? 'No devices match the rule.' : 'Add devices to get started.'}
          </EmptyList>
        }
      >
        {(all) => <MemberTable group={group} members={all} mayWrite={mayWrite} />}
      </Listed>
    </>
  )
}

function aboutOf(group: DeviceGroup, groups: readonly DeviceGroup[], sites: readonly NamedOption[]): string {
  const rule = filterConditions.safeParse(group.filterConditions).data
  const site = sites.find(({ id }) => id === group.siteId)?.name
  const parent = groups.find(({ id }) => id === group.parentId)?.name
  const what =
    group.type === 'static'
      ? 'Devices added manually'
      : rule
        ? `Devices where ${ruleText(rule, [...sites, ...groups])}`
        : 'No rule'
  return [plural(group.deviceCount, 'device'), what, site && `at ${site} only`, parent && `inside ${parent}`]
    .filter(Boolean)
    .join(' · ')
}
