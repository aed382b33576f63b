import { Select, type SelectProps } from '@mantine/core'
import { useMemo } from 'react'
import { timeZones } from '../lib/time-zones.ts'

export function TimeZoneSelect(props: Omit<SelectProps, 'data'>) {
  const zones = useMemo(() => timeZones().map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') })), [])
  return (
    <Select
      data={zones}
      searchable
      limit={60}
      allowDeselect={false}
      nothingFoundMessage="No time zones match"
      {...props}
    />
  )
}
