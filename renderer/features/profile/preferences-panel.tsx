import { Input, SegmentedControl, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { Me } from '../../../shared/api/profile.ts'
import { changeProfile } from '../../data/profile.ts'
import { LetterKeysSwitch } from '../../domain/profile/letter-keys-switch.tsx'
import { useColorScheme } from '../../domain/profile/use-color-scheme.ts'
import { notifyFailed } from '../../lib/notify.ts'
import { timeFormatOf } from '../../lib/session.ts'
import { Panel } from '../../ui/panel.tsx'
import { ThemeSwitch } from '../../ui/theme-switch.tsx'

const timeFormats = [
  { value: '24h', label: '17:30' },
  { value: '12h', label: '5:30 PM' },
]

/** Stored with the account, so that they apply in every browser. */
export function PreferencesPanel({ me }: { me: Me }) {
  const save = useMutation(changeProfile)
  const theme = useColorScheme()
  const setTimeFormat = (value: string) =>
    save.mutate(
      { preferences: { timeFormat: value as '12h' | '24h' } },
      { onError: notifyFailed('The time format wasn’t saved') },
    )
  return (
    <Panel title="Preferences">
      <Stack gap="sm">
        <Input.Wrapper label="Color scheme" labelElement="div">
          <ThemeSwitch value={theme.scheme} onChange={theme.change} />
        </Input.Wrapper>
        <Input.Wrapper label="Time format" labelElement="div">
          <SegmentedControl
            fullWidth
            size="xs"
            aria-label="Time format"
            data={timeFormats}
            value={timeFormatOf(me)}
            onChange={setTimeFormat}
          />
        </Input.Wrapper>
        <LetterKeysSwitch />
      </Stack>
    </Panel>
  )
}
