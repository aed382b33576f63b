import { Select, type SelectProps } from '@mantine/core'
import { useMemo } from 'react'
import { timeZones } from '../lib/time-zones.ts'

/** Also shows a zone under a name that this browser does not list. */
export function TimeZoneSelect({ value, ...props }: Omit<SelectProps, 'data'>) {
  const zones = useMemo(
    () =>
      [...new Set([...timeZones(), ...(value ? [value] : [])])].map((zone) => ({
        value: zone,
        label: zone.replaceAll('_', ' '),
      })),
    [value],
  )
  return (
    <Select
      data={zones}
      searchable
      limit={60}
      allowDeselect={false}
      nothingFoundMessage="No time zones match"
      {...props}
      {...(value !== undefined && { value })}
    />
  )
}
