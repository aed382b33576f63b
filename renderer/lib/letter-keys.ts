import { type HotkeyItem, useHotkeys } from '@mantine/hooks'
import { useSyncExternalStore } from 'react'

/** Shortcuts of a single character, which people can turn off: speech input and a slip of the hand press them, too. */
let areOn = true
const listeners = new Set<() => void>()

export const areLetterKeysOn = (): boolean => areOn

export function setLetterKeys(next: boolean): void {
  areOn = next
  for (const listener of listeners) listener()
}

export const useAreLetterKeysOn = (): boolean => useSyncExternalStore(subscribe, areLetterKeysOn)

/** As `useHotkeys`; without the second argument fields keep the keys that are typed into them. */
export function useLetterKeys(keys: HotkeyItem[], tagsToIgnore?: string[]): void {
  useHotkeys(useAreLetterKeysOn() ? keys : [], tagsToIgnore)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
