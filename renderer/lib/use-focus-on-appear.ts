import { type RefObject, useEffect, useRef } from 'react'

/**
 * For the heading or frame of something new on the page, with `tabIndex={-1}`: it takes the keyboard when it appears,
 * or when `face` changes, so that it is read out; but not from a field that has it already.
 */
export function useFocusOnAppear<Element extends HTMLElement>(face?: string): RefObject<Element | null> {
  const ref = useRef<Element>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another face arrives anew
  useEffect(() => {
    // Nothing has it, or something around: what was here before gave it up while this was loading.
    if (document.activeElement?.contains(ref.current)) ref.current?.focus({ preventScroll: true })
  }, [face])
  return ref
}
