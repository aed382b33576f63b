import { type BoxProps, Select, Text } from '@mantine/core'
import type { Organization } from '../../../shared/api/organizations.ts'
import { plural } from '../../lib/format.ts'
import { distinctName, idsWithSharedName } from './same-names.ts'
import { useDeviceCount } from './use-device-count.ts'

interface Props extends Pick<BoxProps, 'miw'> {
  organizations: readonly Organization[]
  value?: string
  error?: React.ReactNode
  isFirst?: boolean
  onChange: (id: string) => void
}

/** Select of one organization; names that occur twice get a distinction. */
export function OrganizationSelect({ organizations, isFirst, onChange, ...field }: Props) {
  const namesakes = idsWithSharedName(organizations)
  const nameOf = distinctName(namesakes)
  return (
    <Select
      {...field}
      {...(isFirst && { autoFocus: true, 'data-autofocus': true })}
      label="Organization"
      searchable
      limit={50}
      allowDeselect={false}
      data={organizations.map((one) => ({ value: one.id, label: nameOf(one) }))}
      renderOption={({ option: { value, label } }) => (
        <span>
          {label}
          {namesakes.has(value) && <DeviceCount orgId={value} />}
        </span>
      )}
      onChange={(id) => onChange(id ?? '')}
    />
  )
}

function DeviceCount({ orgId }: { orgId: string }) {
  const total = useDeviceCount(orgId)
  return (
    <Text span size="xs" className="option-description">
      {total !== undefined && ` ${plural(total, 'device')}`}
    </Text>
  )
}
