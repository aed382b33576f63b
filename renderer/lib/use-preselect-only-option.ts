import { useEffect } from 'react'

/** Selects the only option. */
export function usePreselectOnlyOption(
  choices: readonly { id: string }[] | undefined,
  chosen: string,
  choose: (id: string) => void,
) {
  const only = choices?.length === 1 ? choices[0]?.id : undefined
  useEffect(() => {
    if (only && !chosen) choose(only)
  })
}
