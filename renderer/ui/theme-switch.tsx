import { type MantineColorScheme, SegmentedControl } from '@mantine/core'

export const colorSchemes = [
  { value: 'auto', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]

interface Props {
  value: MantineColorScheme
  onChange: (scheme: MantineColorScheme) => void
}

export function ThemeSwitch({ value, onChange }: Props) {
  return (
    <SegmentedControl
      fullWidth
      size="xs"
      aria-label="Color scheme"
      data={colorSchemes}
      value={value}
      onChange={(next) => onChange(next as MantineColorScheme)}
    />
  )
}
