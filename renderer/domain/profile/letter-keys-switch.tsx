import { Switch } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { changeProfile } from '../../data/profile.ts'
import { setLetterKeys, useAreLetterKeysOn } from '../../lib/letter-keys.ts'
import { notifyFailed } from '../../lib/notify.ts'

/** Kept with the account, so that it applies in every browser. */
export function LetterKeysSwitch() {
  const areOn = useAreLetterKeysOn()
  const save = useMutation(changeProfile)
  const change = (next: boolean) => {
    setLetterKeys(next)
    save.mutate(
      { preferences: { letterKeys: next } },
      {
        onError: (error) => {
          setLetterKeys(!next)
          notifyFailed('The shortcuts weren’t saved')(error)
        },
      },
    )
  }
  return (
    <Switch
      label="Single-key shortcuts"
      description="Letters, / and ?. Turn them off if you use speech input or press them by accident."
      checked={areOn}
      onChange={({ currentTarget }) => change(currentTarget.checked)}
    />
  )
}
