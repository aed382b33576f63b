import { Radio, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { organizationTreeQuery } from '../../../data/organizations.ts'
import { MultiSelect } from '../../../ui/multi-select.tsx'

interface Props {
  value: string[] | null
  error: React.ReactNode
  onChange: (owners: string[] | null) => void
}

/** Whose identity providers may use a host of the local network. */
export function OwnersField({ value, error, onChange }: Props) {
  const organizations = useQuery(organizationTreeQuery).data ?? []
  const choices = [
    { value: 'partner', label: 'Company-wide sign-in' },
    ...organizations.map(({ id, name }) => ({ value: `org:${id}`, label: name })),
  ]
  const lost = value?.filter((owner) => !choices.some((choice) => choice.value === owner)) ?? []
  return (
    <Radio.Group
      label="Used by"
      value={value === null ? 'all' : 'some'}
      onChange={(next) => onChange(next === 'all' ? null : [])}
    >
      <Stack gap="xs" mt={6}>
        <Radio value="all" label="Every company and organization" />
        <Radio value="some" label="Only some" />
        {value !== null && (
          <MultiSelect
            aria-label="Used only by"
            placeholder={value.length === 0 ? 'Choose whose sign-in' : ''}
            searchable
            limit={50}
            ml={{ sm: 30 }}
            data={[...choices, ...lost.map((owner) => ({ value: owner, label: owner }))]}
            value={value}
            error={error}
            onChange={onChange}
          />
        )}
      </Stack>
    </Radio.Group>
  )
}
