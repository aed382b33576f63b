import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { IconIcns, IconIco } from '@shockpkg/icon-encoder'
import { type Browser, chromium } from 'playwright'

/** `node installer/icons/render.ts`: draws every icon file again. Run it after changing an SVG, commit the result. */

const here = import.meta.dirname
const linuxSizes = [16, 24, 32, 48, 64, 128, 256, 512]
const windowsSizes = [256, 128, 64, 48, 32, 24, 16]
/** Apple's four-letter names for PNG images of these sizes. */
const macSizes = {
  icp4: 16,
  icp5: 32,
  ic11: 32,
  ic12: 64,
  ic07: 128,
  ic13: 256,
  ic08: 256,
  ic14: 512,
  ic09: 512,
  ic10: 1024,
}

async function draw(browser: Browser, svg: string, size: number, color: string): Promise<Buffer> {
  const page = await browser.newPage({ viewport: { width: size, height: size } })
  try {
    await page.setContent(
      `<style>html, body { margin: 0; color: ${color} } svg { display: block; width: ${size}px; height: ${size}px }</style>${svg}`,
    )
    return await page.screenshot({ omitBackground: true })
  } finally {
    await page.close()
  }
}

async function renderAppIcons(browser: Browser): Promise<void> {
  const svg = await readFile(join(here, 'icon.svg'), 'utf8')
  const image = (size: number) => draw(browser, svg, size, 'black')
  await mkdir(join(here, 'linux'), { recursive: true })
  for (const size of linuxSizes) await writeFile(join(here, `linux/${size}x${size}.png`), await image(size))

  const ico = new IconIco()
  for (const size of windowsSizes) await ico.addFromPng(await image(size), size === 256, false)
  await writeFile(join(here, 'icon.ico'), ico.encode())

  const icns = new IconIcns()
  for (const [type, size] of Object.entries(macSizes)) await icns.addFromPng(await image(size), [type], true)
  await writeFile(join(here, 'icon.icns'), icns.encode())
}

/** macOS tints a black "Template" image itself; elsewhere the panel may be light or dark, so the mark has a colour. */
async function renderTrayIcons(browser: Browser): Promise<void> {
  const svg = await readFile(join(here, 'tray.svg'), 'utf8')
  for (const [name, color] of [
    ['trayTemplate', 'black'],
    ['tray', '#4f7cff'],
  ] as const) {
    await writeFile(join(here, `${name}.png`), await draw(browser, svg, 16, color))
    await writeFile(join(here, `${name}@2x.png`), await draw(browser, svg, 32, color))
  }
}

const systemChromium = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const browser = await chromium.launch({
  ...(existsSync(systemChromium) && { executablePath: systemChromium }),
  args: ['--no-sandbox'],
})
try {
  await renderAppIcons(browser)
  await renderTrayIcons(browser)
} finally {
  await browser.close()
}
