import { Radio, Select, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { PolicyTarget } from '../../data/backup-policies.ts'
import { deviceGroupsQuery } from '../../data/device-groups.ts'
import { sitesQuery } from '../../data/sites.ts'
import { DevicePicker } from '../../domain/devices/device-picker.tsx'
import { useDeviceCount } from '../../domain/organizations/use-device-count.ts'
import { siteOptions } from '../../domain/sites/site-names.ts'
import { plural } from '../../lib/format.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'

/** Which devices a policy is for. */
export interface TargetDraft {
  level: PolicyTarget['level']
  siteId: string
  groupId: string
  deviceIds: string[]
}

export const newTarget: TargetDraft = { level: 'organization', siteId: '', groupId: '', deviceIds: [] }

export function targetsOf({ level, siteId, groupId, deviceIds }: TargetDraft, orgId: string): PolicyTarget[] {
  if (level === 'organization') return [{ level, targetId: orgId }]
  const ids = { site: [siteId], device_group: [groupId], device: deviceIds }[level]
  return ids.filter(Boolean).map((targetId) => ({ level, targetId }))
}

export const targetError = (target: TargetDraft): string | undefined => {
  if (targetsOf(target, 'any').length > 0) return undefined
  return { organization: '', site: 'Choose a site', device_group: 'Choose a group', device: 'Choose a device' }[
    target.level
  ]
}

interface Props {
  orgId: string
  orgName: string
  target: TargetDraft
  error: string | undefined
  names?: ReadonlyMap<string, string>
  onChange: (change: Partial<TargetDraft>) => void
}

const levels = ['organization', 'site', 'device_group', 'device'] as const

export function TargetFields({ orgId, orgName, target, error, names, onChange }: Props) {
  const total = useDeviceCount(orgId)
  const hasSites = can(useMe(), 'sites:read')
  const sites = useQuery({ ...sitesQuery(orgId), enabled: hasSites }).data ?? []
  const groups = useQuery(deviceGroupsQuery(orgId)).data ?? []
  const select = { searchable: true, limit: 50, allowDeselect: false, error }
  const labels = {
    organization: `All devices of ${orgName}${total === undefined ? '' : ` (${total})`}, future ones too`,
    site: 'Devices at one site',
    device_group: 'Devices in one group',
    device: 'Selected devices',
  }
  const offered = levels.filter(
    (level) => (level !== 'site' || sites.length > 0) && (level !== 'device_group' || groups.length > 0),
  )
  return (
    <Stack gap="sm">
      <Radio.Group
        label="Devices"
        value={target.level}
        onChange={(value) => onChange({ level: levels.find((one) => one === value) ?? 'organization' })}
      >
        <Stack gap="xs" mt={6}>
          {offered.map((level) => (
            <Radio key={level} value={level} label={labels[level]} />
          ))}
        </Stack>
      </Radio.Group>
      {target.level === 'site' && (
        <Select
          {...select}
          label="Site"
          data={siteOptions(sites)}
          value={target.siteId}
          onChange={(siteId) => onChange({ siteId: siteId ?? '' })}
        />
      )}
      {target.level === 'device_group' && (
        <Select
          {...select}
          label="Group"
          data={groups.map(({ id, name, deviceCount }) => ({
            value: id,
            label: `${name} (${plural(deviceCount, 'device')})`,
          }))}
          value={target.groupId}
          onChange={(groupId) => onChange({ groupId: groupId ?? '' })}
        />
      )}
      {target.level === 'device' && (
        <DevicePicker
          label="Devices to protect"
          orgId={orgId}
          siteId={null}
          value={target.deviceIds}
          {...(names && { names })}
          error={error}
          onChange={(deviceIds) => onChange({ deviceIds })}
        />
      )}
    </Stack>
  )
}
