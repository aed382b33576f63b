import { Select, type SelectProps } from '@mantine/core'

const day = 24 * 60
const choices = [
  { value: '1h', label: '1 hour', minutes: 60 },
  { value: '1d', label: '1 day', minutes: day },
  { value: '7d', label: '7 days', minutes: 7 * day },
  { value: '30d', label: '30 days', minutes: 30 * day },
  { value: '90d', label: '90 days', minutes: 90 * day },
  { value: '365d', label: '1 year', minutes: 365 * day },
]

export const toTtlMinutes = (choice: string): number =>
  choices.find(({ value }) => value === choice)?.minutes ?? 30 * day

export function ExpirySelect(props: Omit<SelectProps, 'data'>) {
  return (
    <Select
      label="Expires in"
      description="After that, no new devices can enroll with it."
      allowDeselect={false}
      data={choices.map(({ value, label }) => ({ value, label }))}
      {...props}
    />
  )
}
