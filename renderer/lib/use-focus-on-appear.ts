import { type RefObject, useEffect, useRef } from 'react'

/**
 * For a heading or container with `tabIndex={-1}`: takes the focus when it appears or when `face` changes, so that
 * screen readers announce it; but not from a focused field.
 */
export function useFocusOnAppear<Element extends HTMLElement>(face?: string): RefObject<Element | null> {
  const ref = useRef<Element>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another face arrives anew
  useEffect(() => {
    // The focus is nowhere, or on an ancestor: the former content lost it.
    if (document.activeElement?.contains(ref.current)) ref.current?.focus({ preventScroll: true })
  }, [face])
  return ref
}
