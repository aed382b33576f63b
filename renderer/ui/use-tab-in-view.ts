import { useCallback } from 'react'

/** On a phone the tabs do not fit: keeps the open one in the middle of their row. Returns the row's ref. */
export const useTabInView = (tab: string) =>
  useCallback(
    (list: HTMLDivElement) => {
      const observer = new ResizeObserver(() => {
        const open = list.querySelector<HTMLElement>(`[data-tab="${tab}"]`)
        if (open) list.scrollLeft = open.offsetLeft - (list.clientWidth - open.clientWidth) / 2
      })
      observer.observe(list)
      return () => observer.disconnect()
    },
    [tab],
  )
