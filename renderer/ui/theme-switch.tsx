import { SegmentedControl, useMantineColorScheme } from '@mantine/core'

export const colorSchemes = [
  { value: 'auto', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]

export function ThemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <SegmentedControl
      fullWidth
      size="xs"
      aria-label="Colours"
      data={colorSchemes}
      value={colorScheme}
      onChange={(value) => setColorScheme(value as typeof colorScheme)}
    />
  )
}
