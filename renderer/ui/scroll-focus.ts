/** Ref of a region that may scroll: only if it does, the Tab key stops at it, so that the arrow keys can scroll it. */
export function focusIfScrollable(region: HTMLElement | null) {
  if (!region) return
  const observer = new ResizeObserver(() => {
    const scrolls = region.scrollWidth > region.clientWidth || region.scrollHeight > region.clientHeight
    if (scrolls) region.tabIndex = 0
    else if (region !== document.activeElement) region.removeAttribute('tabindex')
  })
  observer.observe(region)
  for (const child of region.children) observer.observe(child)
  return () => observer.disconnect()
}
