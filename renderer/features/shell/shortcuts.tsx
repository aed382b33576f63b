import { Group, Kbd, Stack, Text } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { modals } from '@mantine/modals'

const shortcuts: [string[], string][] = [
  [['/'], 'Search the list'],
  [['o'], 'Look at another organization'],
  [['j'], 'Next row (also ↓)'],
  [['k'], 'Previous row (also ↑)'],
  [['Enter'], 'Open the row'],
  [['Esc'], 'Clear the search, close a dialog'],
  [['?'], 'This list'],
]

export const openShortcuts = () =>
  modals.open({
    title: 'Keyboard shortcuts',
    children: (
      <Stack gap="xs">
        {shortcuts.map(([keys, text]) => (
          <Group key={text} justify="space-between">
            <Text size="sm">{text}</Text>
            <Group gap={4}>
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </Group>
          </Group>
        ))}
      </Stack>
    ),
  })

export function Shortcuts() {
  // On some keyboards it takes no Shift.
  useHotkeys([
    ['shift+?', openShortcuts],
    ['?', openShortcuts],
  ])
  return null
}
