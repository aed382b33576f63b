import escapeHtml from 'escape-html'
import { localLinkOrigin } from './security.ts'

/** The shell's own two pages, shown while there is no server to show. No script, nothing loaded. */

const style = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
  body { display: grid; place-content: center; min-height: 100vh; margin: 0; padding: 2rem; box-sizing: border-box }
  main { max-width: 34rem }
  h1 { font-size: 1.4rem }
  code { display: block; padding: .75rem; border-radius: .5rem; background: #8882; overflow-wrap: anywhere }
  a { display: inline-block; margin: 1rem 1rem 0 0; color: light-dark(#2440b8, #9db5ff) }
  .late { opacity: 0; animation: appear 0s 20s forwards }
  @keyframes appear { to { opacity: 1 } }
`

export const startingPage = () =>
  page(
    'Homeport is starting',
    `<p class="late">This takes longer than usual. ${link('open-logs', 'Open the logs')}</p>`,
  )

export const failedPage = (problem: string) =>
  page(
    'Homeport cannot start',
    `<p>It keeps trying. This is what went wrong last:</p>
    <code>${escapeHtml(problem)}</code>
    ${link('restart-server', 'Try again now')}
    ${link('open-logs', 'Open the logs')}
    ${link('open-data-folder', 'Open the data folder')}`,
  )

function page(title: string, content: string): string {
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
    <style>${style}</style></head><body><main><h1>${title}</h1>${content}</main></body></html>`
  return `data:text/html;charset=utf-8,${encodeURIComponent(html)}`
}

const link = (action: string, text: string) => `<a href="${localLinkOrigin}/${action}">${text}</a>`
