import { useCallback } from 'react'

/** Keeps the selected tab in view on a phone, where the tabs scroll. Returns the ref of the tab list. */
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
