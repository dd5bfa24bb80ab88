const IMAGES = new Set('avif bmp gif heic jpeg jpg png svg tif tiff webp'.split(' '))
const OTHERS = new Set(
  `aac flac m4a mp3 oga ogg opus wav avi m4v mov mp4 mpeg mpg ogv webm
  csv doc docx epub odp ods odt pdf pps ppsx ppt pptx vtt xls xlsx`.split(/\s+/),
)

/** By extension. `other` is a file that people embed or read; null for pages and programs. */
export function mediaKind(address: string): 'image' | 'other' | null {
  const extension = /\.([a-z0-9]{2,5})$/i.exec(address.replace(/[?#].*$/s, ''))?.[1]?.toLowerCase() ?? ''
  return IMAGES.has(extension) ? 'image' : OTHERS.has(extension) ? 'other' : null
}
