import type { BrowserContext, Page } from 'playwright'
import { expect } from 'vitest'

/** Notices disappear by themselves, sometimes before a test looks, so each one is recorded as it appears. */
const shown = new WeakMap<Page, string[]>()

function noticesOf(page: Page): string[] {
  const notices = shown.get(page) ?? []
  shown.set(page, notices)
  return notices
}

export function forgetNotices(page: Page): void {
  noticesOf(page).splice(0)
}

/** To be called before the first page of the context is opened. */
export async function hearNotices(context: BrowserContext): Promise<void> {
  await context.exposeBinding('noticeShown', ({ page }, text: string) => void noticesOf(page).push(text))
  await context.addInitScript(() => {
    const { noticeShown } = window as unknown as { noticeShown: (text: string) => void }
    const notice = '.mantine-Notification-root'
    const hear = (node: Node) => {
      if (!(node instanceof Element)) return
      const found = node.matches(notice) ? [node] : [...node.querySelectorAll(notice)]
      for (const { textContent } of found) noticeShown(textContent)
    }
    const changes = new MutationObserver((records) => {
      for (const { addedNodes } of records) addedNodes.forEach(hear)
    })
    changes.observe(document, { childList: true, subtree: true })
  })
}

/** Waits for a notice with this text among those that appeared after the previous match. */
export async function noticeAppears(page: Page, words: string): Promise<void> {
  const notices = noticesOf(page)
  await expect.poll(() => notices, { message: `no notice “${words}”` }).toContainEqual(expect.stringContaining(words))
  notices.splice(0, notices.findIndex((notice) => notice.includes(words)) + 1)
}
